CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SET 'table.optimizer.distinct-agg.split.bucket-num' = '3';
-- keys: 1, compare: exact
SELECT g, COUNT(DISTINCT s), SUM(v), COUNT(*) FROM t GROUP BY g;
-- keys: 1, compare: exact
SELECT h, COUNT(DISTINCT b), COUNT(DISTINCT s), MIN(d), MAX(m), AVG(v), COUNT(*) FROM t GROUP BY h;
-- keys: 0, compare: exact
SELECT COUNT(DISTINCT m), SUM(DISTINCT v) FILTER (WHERE f), COUNT(DISTINCT ts), COUNT(DISTINCT dt) FROM t;
-- keys: 2, compare: exact
SELECT g, h, AVG(DISTINCT v), COUNT(DISTINCT d) FROM t WHERE f GROUP BY g, h HAVING COUNT(DISTINCT d) > 0;
-- keys: 1, compare: exact
SELECT c, COUNT(*), COUNT(DISTINCT x) FROM (SELECT g, COUNT(DISTINCT s) AS c, SUM(v) AS x FROM t GROUP BY g) GROUP BY c;
-- keys: 1, compare: exact
SELECT f, COUNT(DISTINCT b) FILTER (WHERE v > 0), COUNT(DISTINCT b), COUNT(DISTINCT f) FROM t GROUP BY f;
-- keys: 1, compare: exact
SELECT h, COUNT(DISTINCT s), LISTAGG(s), SUM(b), COUNT(v) FROM t GROUP BY h;
-- keys: 1, compare: exact
SELECT h, COUNT(DISTINCT x) FROM (SELECT h, s AS x FROM t UNION ALL SELECT h, g AS x FROM t) GROUP BY h;
