SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE t (id INT, k STRING, v INT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, v INT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/c.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT k, id, v, window_start, window_end, window_time FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '4' SECOND));
-- keys: 3, compare: exact
SELECT k, window_start, window_end, COUNT(*), SUM(v), MAX(v), COUNT(DISTINCT s) FROM TABLE(SESSION(TABLE c PARTITION BY k, DESCRIPTOR(ts), INTERVAL '6' SECOND)) GROUP BY k, window_start, window_end;
-- keys: 1, compare: exact
SELECT k, SESSION_START(ts, INTERVAL '4' SECOND), SESSION_ROWTIME(ts, INTERVAL '4' SECOND), SUM(v + id), MAX(s), STDDEV_POP(v) FROM t GROUP BY k, SESSION(ts, INTERVAL '4' SECOND);
-- keys: 3, compare: exact
SELECT k, HOP_START(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), HOP_END(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND), COUNT(*), LISTAGG(s) FROM t GROUP BY k, HOP(ts, INTERVAL '4' SECOND, INTERVAL '10' SECOND);
-- keys: 2, compare: exact
SELECT k, TUMBLE_START(ts + INTERVAL '3' SECOND, INTERVAL '5' SECOND), TUMBLE_ROWTIME(ts + INTERVAL '3' SECOND, INTERVAL '5' SECOND), COUNT(*), SUM(v) FROM t GROUP BY k, TUMBLE(ts + INTERVAL '3' SECOND, INTERVAL '5' SECOND);
-- keys: 2, compare: exact
SELECT k, SESSION_START(moved, INTERVAL '4' SECOND), COUNT(*), MAX(id) FROM (SELECT k, id, ts - INTERVAL '1' SECOND AS moved FROM t WHERE v > -5) GROUP BY k, SESSION(moved, INTERVAL '4' SECOND);
SET 'table.exec.emit.early-fire.enabled' = 'true';
SET 'table.exec.emit.early-fire.delay' = '0 ms';
SET 'table.exec.emit.late-fire.enabled' = 'true';
SET 'table.exec.emit.late-fire.delay' = '0 ms';
SET 'table.exec.emit.allow-lateness' = '5 s';
-- keys: 3, compare: exact
SELECT k, TUMBLE_START(ts, INTERVAL '5' SECOND), TUMBLE_END(ts, INTERVAL '5' SECOND), AVG(v), MIN(ts), COUNT(*) FROM c GROUP BY k, TUMBLE(ts, INTERVAL '5' SECOND);
