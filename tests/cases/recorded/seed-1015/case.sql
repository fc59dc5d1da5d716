CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT dt, VAR_SAMP(v), COUNT(DISTINCT h) FROM t WHERE v <> 0 AND s IS NOT NULL GROUP BY dt;
-- keys: 1, compare: exact
SELECT h, MIN(d), MAX(DISTINCT v), SUM(m) FROM t WHERE d >= 0 OR f GROUP BY h HAVING SUM(v) > 3;
-- keys: 1, compare: exact
SELECT f, MAX(m), COUNT(DISTINCT h) FILTER (WHERE s LIKE 'a%'), COUNT(1), COUNT(DISTINCT s) FILTER (WHERE v > 0) FROM t GROUP BY f;
-- keys: 0, compare: final
SELECT MAX(x), COUNT(*), AVG(x) FROM (SELECT g AS k, COUNT(DISTINCT v) AS x FROM t GROUP BY g);
-- keys: 1, compare: final
SELECT x, COUNT(*) FROM (SELECT h AS k, COUNT(*) AS x FROM t GROUP BY h) GROUP BY x;
-- keys: 1, compare: exact
SELECT MOD(h, 2), MAX(b), MIN(v) FROM t GROUP BY MOD(h, 2) HAVING MAX(v) < 8;
