CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 3, compare: exact
SELECT 'sets' AS q, g AS k, h AS l, SUM(v) AS a, MAX(s) AS b, GROUPING_ID(g, h) AS c FROM t GROUP BY GROUPING SETS ((g, h), (g), ())
UNION ALL SELECT 'nested', CAST(n AS STRING), 0, SUM(n), 'x', COUNT(*) FROM (SELECT g, COUNT(DISTINCT v) AS n FROM t GROUP BY g) GROUP BY n
UNION ALL SELECT 'rows', CAST(id AS STRING), h, v + 1, UPPER(s), 0 FROM t WHERE v > 0;
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '10 min';
SET 'table.exec.mini-batch.size' = '1000000';
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
-- keys: 3, compare: final
SELECT 'two phases' AS q, g AS k, h AS l, SUM(v) AS a, MAX(s) AS b, COUNT(*) AS c FROM t GROUP BY g, h
UNION ALL SELECT 'split', g, 0, COUNT(DISTINCT h), MIN(s), COUNT(DISTINCT s) FROM t GROUP BY g;
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';
SET 'table.exec.source.cdc-events-duplicate' = 'true';
-- keys: 3, compare: final
SELECT 'one phase' AS q, g AS k, h AS l, SUM(v) AS a, MAX(s) AS b, COUNT(*) AS c FROM t GROUP BY g, h;
