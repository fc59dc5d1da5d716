SET 'table.display.max-column-width' = '500';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '5 s';
SET 'table.exec.mini-batch.size' = '5000';
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';
CREATE TABLE t (id BIGINT, g STRING, h INT, v INT, b BIGINT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT g, COUNT(DISTINCT h), LAST_VALUE(v), FIRST_VALUE(b) FROM t GROUP BY g;
-- keys: 1, compare: exact
SELECT f, LISTAGG(s), COUNT(DISTINCT v) FROM t GROUP BY f;
-- keys: 1, compare: exact
SELECT x, LAST_VALUE(m), LAST_VALUE(f) FROM (SELECT m, f, COUNT(*) AS x FROM t GROUP BY m, f) GROUP BY x;
