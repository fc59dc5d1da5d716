CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT f, MIN(dt) FILTER (WHERE h IN (1, 2)), AVG(d), MAX(ts) FILTER (WHERE g IS NOT NULL), MIN(d) FILTER (WHERE h IN (1, 2)) FROM t GROUP BY f;
-- keys: 1, compare: exact
SELECT f, MIN(v), COUNT(DISTINCT v) FROM t GROUP BY f;
-- keys: 1, compare: exact
SELECT g, MIN(dt), SUM(CASE WHEN f THEN v ELSE 0 END), MAX(b), SUM(v) FROM t GROUP BY g;
-- keys: 1, compare: exact
SELECT f, MIN(d) FROM t WHERE h IS NOT NULL GROUP BY f;
-- keys: 1, compare: final
SELECT h, COUNT(v) FROM (SELECT * FROM t UNION ALL SELECT * FROM t WHERE v > 0) AS u GROUP BY h;
-- keys: 0, compare: final
SELECT MIN(x), MAX(x) FROM (SELECT h AS k, MAX(v) AS x FROM t GROUP BY h);
