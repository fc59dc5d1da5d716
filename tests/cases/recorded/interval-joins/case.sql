SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE shows (id INT, k STRING, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/shows.json', 'format' = 'json');
CREATE TABLE clicks (id INT, k STRING, w INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/clicks.json', 'format' = 'json');
-- keys: 0, compare: final
SELECT v.id, c.id, v.ts, c.ts FROM shows AS v JOIN clicks AS c ON v.k = c.k AND c.ts BETWEEN v.ts AND v.ts + INTERVAL '8' SECOND;
-- keys: 0, compare: final
SELECT v.id, c.id FROM shows AS v LEFT JOIN clicks AS c ON v.k = c.k AND c.ts > v.ts - INTERVAL '2' SECOND AND c.ts < v.ts + INTERVAL '4' SECOND AND c.w > v.v;
-- keys: 0, compare: final
SELECT v.id, c.id FROM shows AS v RIGHT JOIN clicks AS c ON v.k IS NOT DISTINCT FROM c.k AND v.ts BETWEEN c.ts - INTERVAL '3' SECOND AND c.ts;
-- keys: 0, compare: final
SELECT v.id, c.id, v.k, c.k FROM shows AS v FULL JOIN clicks AS c ON v.k = c.k AND v.ts = c.ts;
-- keys: 0, compare: final
SELECT v.id, c.id FROM shows AS v FULL JOIN clicks AS c ON v.k = c.k AND v.ts BETWEEN c.ts + INTERVAL '3' SECOND AND c.ts + INTERVAL '1' SECOND;
-- keys: 0, compare: final
SELECT v.id, c.id FROM shows AS v JOIN clicks AS c ON v.ts BETWEEN c.ts - INTERVAL '20' SECOND AND c.ts - INTERVAL '18' SECOND;
-- keys: 0, compare: final
SELECT window_start, k, COUNT(*), SUM(w) FROM TABLE(TUMBLE((SELECT v.k, v.ts, c.w FROM shows AS v LEFT JOIN clicks AS c ON v.k = c.k AND c.ts BETWEEN v.ts AND v.ts + INTERVAL '5' SECOND), DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY window_start, window_end, k;
-- keys: 0, compare: final
SELECT v.k, COUNT(*), MAX(c.w) FROM shows AS v JOIN clicks AS c ON v.k = c.k AND v.v + 1 = c.w AND c.ts BETWEEN v.ts - INTERVAL '15' SECOND AND v.ts + INTERVAL '15' SECOND GROUP BY v.k;
-- keys: 0, compare: final
SELECT v.id, c.id FROM shows AS v JOIN clicks AS c ON v.k = c.k AND v.pt BETWEEN c.pt - INTERVAL '1' HOUR AND c.pt + INTERVAL '1' HOUR AND v.v = c.w;
-- keys: 0, compare: final
SELECT a.id, b.id, c.id FROM shows AS a JOIN shows AS b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' SECOND AND a.id < b.id LEFT JOIN clicks AS c ON b.k = c.k AND c.ts BETWEEN b.ts AND b.ts + INTERVAL '4' SECOND;
