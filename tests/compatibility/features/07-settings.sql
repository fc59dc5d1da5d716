SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '2 s';
SET 'table.exec.mini-batch.size' = '1000';
-- GROUP BY in mini-batches, in two phases
SELECT k, SUM(v), COUNT(DISTINCT id) FROM orders GROUP BY k;
-- Joins in mini-batches
SELECT o.id, c.v FROM orders AS o JOIN customers AS c ON o.id = c.id;
SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
-- Split DISTINCT aggregates, incremental
SELECT k, COUNT(DISTINCT v) FROM orders GROUP BY k;
RESET 'table.exec.mini-batch.enabled';
SET 'table.optimizer.multi-join.enabled' = 'true';
-- MultiJoin (`table.optimizer.multi-join.enabled`)
SELECT a.id, b.v, c.v FROM customers AS a LEFT JOIN customers AS b ON a.k = b.k LEFT JOIN customers AS c ON a.k = c.k;
RESET 'table.optimizer.multi-join.enabled';
SET 'table.exec.state.ttl' = '1 h';
-- State TTL (`table.exec.state.ttl`)
SELECT k, SUM(v) FROM orders GROUP BY k;
RESET 'table.exec.state.ttl';
SET 'table.exec.sink.upsert-materialize' = 'FORCE';
-- SinkUpsertMaterializer (`table.exec.sink.upsert-materialize`)
INSERT INTO totals SELECT k, v FROM customers;
RESET 'table.exec.sink.upsert-materialize';
SET 'execution.runtime-mode' = 'BATCH';
-- Batch mode (`execution.runtime-mode` = BATCH) [not recorded]
SELECT k, SUM(v) FROM orders GROUP BY k;
RESET 'execution.runtime-mode';
