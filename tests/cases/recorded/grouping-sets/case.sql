CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 2, compare: exact
SELECT g, h, COUNT(*), SUM(v) FROM t GROUP BY GROUPING SETS ((g, h), (g), ());
-- keys: 4, compare: exact
SELECT GROUPING(h), GROUPING_ID(h, f), h, f, COUNT(DISTINCT s), MAX(v) FROM t GROUP BY CUBE (h, f);
-- keys: 2, compare: exact
SELECT h, g, SUM(h), COUNT(g), MAX(h) FILTER (WHERE f) FROM t GROUP BY ROLLUP (h, g);
-- keys: 1, compare: exact
SELECT CASE WHEN GROUPING(h) = 1 THEN 'all' ELSE CAST(h AS STRING) END AS label, AVG(m) FROM t GROUP BY ROLLUP (h) HAVING COUNT(*) > 1;
-- keys: 4, compare: exact
SELECT h, f, dt, GROUP_ID(), COUNT(*) FROM t GROUP BY h, GROUPING SETS ((f), (dt), (f), (dt));
-- keys: 1, compare: exact
SELECT c, SUM(n) FROM (SELECT g, h, COUNT(*) AS c, SUM(v) AS n FROM t GROUP BY ROLLUP (g, h)) GROUP BY c;
-- keys: 2, compare: exact
SELECT g, c, COUNT(*) FROM (SELECT g, COUNT(*) AS c FROM t GROUP BY g) GROUP BY ROLLUP (g, c);
-- keys: 2, compare: exact
SELECT DISTINCT h, SUM(v) FROM t GROUP BY h, f;
-- keys: 3, compare: exact
SELECT h, f, GROUP_ID(), GROUPING(f), GROUPING_ID(f, h), SUM(v), COUNT(*) FROM t GROUP BY GROUPING SETS ((h), (h), (f));
