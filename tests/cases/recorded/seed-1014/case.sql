CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT UPPER(s), COUNT(1), MAX(s), MIN(m), LAST_VALUE(v) FROM t WHERE h IS NOT NULL GROUP BY UPPER(s);
-- keys: 1, compare: exact
SELECT UPPER(s), MAX(m), MAX(v * 2), SUM(d) FILTER (WHERE h IN (1, 2)), COUNT(1) FROM t GROUP BY UPPER(s) HAVING MAX(v) < 8;
-- keys: 1, compare: exact
SELECT dt, AVG(v) FILTER (WHERE s LIKE 'a%') FROM t GROUP BY dt;
-- keys: 0, compare: final
SELECT MAX(x), AVG(x), COUNT(*) FROM (SELECT h AS k, COUNT(DISTINCT v) AS x FROM t GROUP BY h);
-- keys: 1, compare: exact
SELECT UPPER(s), SUM(CASE WHEN f THEN v ELSE 0 END) FROM t WHERE h IS NOT NULL GROUP BY UPPER(s);
-- keys: 1, compare: exact
SELECT MOD(h, 2), MIN(s) FROM t WHERE v <> 0 AND s IS NOT NULL GROUP BY MOD(h, 2) HAVING COUNT(DISTINCT s) >= 2;
