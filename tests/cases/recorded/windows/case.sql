SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
CREATE TABLE c (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/c.json', 'format' = 'canal-json');
-- keys: 2, compare: exact
SELECT 'hop' AS q, k, window_end AS w, SUM(v) AS a FROM TABLE(HOP(TABLE c, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end
UNION ALL SELECT 'session', k, window_end, SUM(v) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND)) GROUP BY k, window_start, window_end
UNION ALL SELECT 'rows of sessions', k, window_end, v FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))
UNION ALL SELECT 'group window', k, TUMBLE_END(ts, INTERVAL '5' SECOND), SUM(v) FROM c GROUP BY k, TUMBLE(ts, INTERVAL '5' SECOND);
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';
-- keys: 2, compare: exact
SELECT 'tumble' AS q, k, window_end AS w, SUM(v) AS a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end;
