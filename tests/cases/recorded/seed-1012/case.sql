CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: final
SELECT MOD(h, 2), FIRST_VALUE(v) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY MOD(h, 2);
-- keys: 1, compare: exact
SELECT h, MIN(m), MAX(v), STDDEV_POP(v) FROM t GROUP BY h;
-- keys: 1, compare: final
SELECT x, COUNT(*) FROM (SELECT g AS k, COUNT(*) AS x FROM t GROUP BY g) GROUP BY x;
-- keys: 1, compare: final
SELECT x, COUNT(*) FROM (SELECT h AS k, SUM(v) AS x FROM t GROUP BY h) GROUP BY x;
-- keys: 1, compare: exact
SELECT dt, AVG(m), MAX(b) FROM t GROUP BY dt;
-- keys: 0, compare: final
SELECT AVG(x) FROM (SELECT s AS k, COUNT(DISTINCT v) AS x FROM t GROUP BY s);
