SET 'pipeline.auto-watermark-interval' = '0';
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE t (id INT, k STRING, v INT, m DECIMAL(10, 2), ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '12' MINUTE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
-- keys: 3, compare: exact
SELECT k, HOP_START(ts, INTERVAL '6' HOUR, INTERVAL '1' DAY), HOP_END(ts, INTERVAL '6' HOUR, INTERVAL '1' DAY), COUNT(*), AVG(v), MIN(m) FROM t GROUP BY k, HOP(ts, INTERVAL '6' HOUR, INTERVAL '1' DAY);
-- keys: 2, compare: exact
SELECT k, TUMBLE_START(ts, INTERVAL '1' DAY), COUNT(*), SUM(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' DAY);
SET 'table.local-time-zone' = 'Asia/Kolkata';
-- keys: 2, compare: exact
SELECT k, TUMBLE_START(ts, INTERVAL '1' HOUR), COUNT(*), SUM(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);
SET 'table.local-time-zone' = 'America/New_York';
-- keys: 2, compare: exact
SELECT k, HOP_START(ts, INTERVAL '1' HOUR, INTERVAL '3' HOUR), COUNT(*), SUM(v) FROM t GROUP BY k, HOP(ts, INTERVAL '1' HOUR, INTERVAL '3' HOUR);
