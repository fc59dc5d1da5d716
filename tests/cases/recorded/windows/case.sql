SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
CREATE TABLE c (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/c.json', 'format' = 'canal-json');
-- keys: 2, compare: exact
SELECT 'hop' AS q, k, window_end AS w, SUM(v) AS a FROM TABLE(HOP(TABLE c, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end
UNION ALL SELECT 'session', k, window_end, SUM(v) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND)) GROUP BY k, window_start, window_end
UNION ALL SELECT 'rows of sessions', k, window_end, v FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))
UNION ALL SELECT 'rows of windows', k, window_end, v FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND));
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';
-- keys: 2, compare: exact
SELECT 'tumble' AS q, k, window_end AS w, SUM(v) AS a FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end;
-- keys: 2, compare: exact
SELECT 'over' AS q, k, ts, a FROM (SELECT k, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM t WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts)) ORDER BY ts;
SET 'table.exec.emit.early-fire.enabled' = 'true';
SET 'table.exec.emit.early-fire.delay' = '0 ms';
-- keys: 3, compare: exact
SELECT 'group window' AS q, k, TUMBLE_END(ts, INTERVAL '5' SECOND) AS w, SUM(v) AS a FROM c GROUP BY k, TUMBLE(ts, INTERVAL '5' SECOND);
