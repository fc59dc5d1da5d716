-- TUMBLE
SELECT k, window_start, SUM(v) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end;
-- TUMBLE with an offset
SELECT window_start, SUM(v) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '10' MINUTE)) GROUP BY window_start, window_end;
-- TUMBLE by processing time
SELECT window_start, SUM(v) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(pt), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
-- TUMBLE without an aggregate
SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE));
-- HOP
SELECT window_start, SUM(v) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;
-- CUMULATE
SELECT window_start, SUM(v) FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)) GROUP BY window_start, window_end;
-- SESSION
SELECT k, window_start, SUM(v) FROM TABLE(SESSION(TABLE orders PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end;
-- Window of updates and deletes
SELECT k, window_start, SUM(rate) FROM TABLE(TUMBLE(TABLE rates, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY k, window_start, window_end;
-- GROUPING SETS in windows
SELECT k, window_start, SUM(v) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, GROUPING SETS ((k), ());
-- DISTINCT aggregates in windows
SELECT window_start, COUNT(DISTINCT k) FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
-- Top-N of windows
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) WHERE n <= 3;
-- Deduplication of windows
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k, window_start, window_end ORDER BY ts DESC) AS n FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE))) WHERE n = 1;
-- GROUP BY TUMBLE
SELECT TUMBLE_START(ts, INTERVAL '1' MINUTE), TUMBLE_ROWTIME(ts, INTERVAL '1' MINUTE), SUM(v) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE);
-- GROUP BY HOP
SELECT HOP_START(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE), SUM(v) FROM orders GROUP BY HOP(ts, INTERVAL '1' MINUTE, INTERVAL '5' MINUTE);
-- GROUP BY SESSION
SELECT k, SESSION_END(ts, INTERVAL '1' MINUTE), SUM(v) FROM orders GROUP BY k, SESSION(ts, INTERVAL '1' MINUTE);
-- GROUP BY TUMBLE of processing time
SELECT TUMBLE_START(pt, INTERVAL '1' MINUTE), SUM(v) FROM orders GROUP BY TUMBLE(pt, INTERVAL '1' MINUTE);
-- Window of the results of windows
SELECT window_start, SUM(s) FROM TABLE(TUMBLE((SELECT window_time AS t, SUM(v) AS s FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, window_time), DESCRIPTOR(t), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
SET 'table.exec.emit.early-fire.enabled' = 'true';
SET 'table.exec.emit.early-fire.delay' = '5 s';
-- GROUP BY TUMBLE with early results (`table.exec.emit.early-fire.*`)
SELECT TUMBLE_START(ts, INTERVAL '1' MINUTE), SUM(v) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE);
