SET 'pipeline.auto-watermark-interval' = '0';
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE t (id INT, k STRING, v INT, d DOUBLE, m DECIMAL(10, 2), s STRING, f BOOLEAN, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '72' MINUTE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
-- keys: 2, compare: exact
SELECT window_start, window_end, COUNT(*), SUM(n), MAX(n) FROM (SELECT k, window_start, window_end, COUNT(*) AS n FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '18' HOUR, INTERVAL '-36' MINUTE)) GROUP BY k, window_start, window_end) GROUP BY window_start, window_end;
-- keys: 2, compare: exact
SELECT window_start, window_end, COUNT(*), SUBSTRING(LISTAGG(s), 1, 25), COUNT(*) FILTER (WHERE v > 0) FROM TABLE(CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '18' HOUR, INTERVAL '72' MINUTE)) WHERE k IS NOT NULL GROUP BY window_start, window_end;
