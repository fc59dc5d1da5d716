SET 'table.exec.state.ttl' = '1 d';
CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT f, SUM(d) FROM t GROUP BY f;
-- keys: 1, compare: final
SELECT MOD(h, 2), COUNT(DISTINCT s), AVG(b) FILTER (WHERE m BETWEEN -1 AND 5), MIN(s) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY MOD(h, 2);
-- keys: 1, compare: exact
SELECT dt, AVG(m) FILTER (WHERE g IS NOT NULL), AVG(b) FROM t GROUP BY dt;
-- keys: 0, compare: exact
SELECT VAR_SAMP(v) FILTER (WHERE h IN (1, 2)), SUM(DISTINCT v) FROM t WHERE v > -5;
-- keys: 2, compare: exact
SELECT g, h, MIN(m), MAX(DISTINCT v) FROM t GROUP BY g, h;
-- keys: 1, compare: exact
SELECT f, MIN(s) FROM t WHERE g <> 'Tom' GROUP BY f;
