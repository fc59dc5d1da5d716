SET 'table.display.max-column-width' = '300';
CREATE TABLE t (id INT, k INT, i INT, v STRING, a ARRAY<INT>) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '10 s';
SET 'table.exec.mini-batch.size' = '100000';
-- keys: 1, compare: exact
SELECT k, BITMAP_BUILD_AGG(i), BITMAP_BUILD_CARDINALITY_AGG(i), BITMAP_BUILD_AGG(DISTINCT i), BITMAP_AND_AGG(BITMAP_BUILD(a)), BITMAP_OR_AGG(BITMAP_BUILD(a)), BITMAP_XOR_CARDINALITY_AGG(BITMAP_BUILD(a)) FROM t GROUP BY k;
-- keys: 0, compare: exact
SELECT BITMAP_AND_AGG(x), BITMAP_OR_AGG(x), BITMAP_XOR_AGG(x), BITMAP_AND_CARDINALITY_AGG(x) FROM (SELECT k, BITMAP_BUILD_AGG(i) x FROM t GROUP BY k);
-- keys: 1, compare: exact
SELECT k, PERCENTILE(DISTINCT i, 0.5, id), PERCENTILE(DISTINCT i, COALESCE(CAST(id AS DOUBLE) / 100, 0.5)) FROM t GROUP BY k;
