SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: final
SELECT UPPER(s), COUNT(DISTINCT s) FILTER (WHERE v > 0), COUNT(DISTINCT h), MAX(v), SUM(v + h) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY UPPER(s) HAVING SUM(v) > 3;
-- keys: 1, compare: exact
SELECT h, COUNT(DISTINCT h), MAX(v), MIN(m), MAX(b) FROM t GROUP BY h;
-- keys: 1, compare: exact
SELECT dt, SUM(v + h), MIN(s) FROM t WHERE g <> 'Tom' GROUP BY dt;
-- keys: 1, compare: exact
SELECT h, AVG(m), SUM(DISTINCT v) FILTER (WHERE g IS NOT NULL) FROM t WHERE g <> 'Tom' GROUP BY h;
-- keys: 1, compare: exact
SELECT UPPER(s), SUM(CASE WHEN f THEN v ELSE 0 END), SUM(b), MIN(v), MIN(m) FILTER (WHERE s LIKE 'a%') FROM t GROUP BY UPPER(s) HAVING COUNT(*) > 1;
-- keys: 1, compare: exact
SELECT h, VAR_SAMP(v) FILTER (WHERE h IN (1, 2)) FROM t GROUP BY h;
