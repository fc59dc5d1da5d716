CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: final
SELECT x, COUNT(*) FROM (SELECT h AS k, SUM(v) AS x FROM t GROUP BY h) GROUP BY x;
-- keys: 1, compare: exact
SELECT dt, COUNT(DISTINCT s), COUNT(CASE WHEN v > 0 THEN 1 END), MAX(v * 2) FROM t WHERE g <> 'Tom' GROUP BY dt;
-- keys: 1, compare: exact
SELECT dt, AVG(v) FROM t WHERE d >= 0 OR f GROUP BY dt;
-- keys: 0, compare: final
SELECT COUNT(*), SUM(x), MAX(x) FROM (SELECT h AS k, COUNT(DISTINCT v) AS x FROM t GROUP BY h);
-- keys: 1, compare: exact
SELECT MOD(h, 2), SUM(d) FROM t GROUP BY MOD(h, 2);
-- keys: 0, compare: exact
SELECT MIN(m), COUNT(s) FROM t;
