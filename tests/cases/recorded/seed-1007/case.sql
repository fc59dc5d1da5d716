CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: final
SELECT h, COUNT(v) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY h;
-- keys: 1, compare: exact
SELECT h, MAX(v) FROM t GROUP BY h;
-- keys: 2, compare: final
SELECT g, h, COUNT(1) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY g, h;
-- keys: 0, compare: final
SELECT COUNT(*) FROM (SELECT s AS k, MAX(v) AS x FROM t GROUP BY s);
-- keys: 0, compare: final
SELECT COUNT(*) FROM (SELECT g AS k, MAX(v) AS x FROM t GROUP BY g);
-- keys: 0, compare: exact
SELECT MAX(ts), COUNT(DISTINCT s), COUNT(DISTINCT h) FROM t WHERE d >= 0 OR f;
