SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE l (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'json');
CREATE TABLE r (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'json');
CREATE TABLE m (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/m.json', 'format' = 'json');
-- keys: 0, compare: final
SELECT x.id, y.id, x.k, x.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_end, y.window_end FROM (SELECT * FROM TABLE(HOP(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) x LEFT JOIN (SELECT * FROM TABLE(HOP(TABLE r, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v < y.v;
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_end, y.window_end FROM (SELECT * FROM TABLE(CUMULATE(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND))) x RIGHT JOIN (SELECT * FROM TABLE(CUMULATE(TABLE r, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v > y.v;
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_end, y.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x FULL JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v <= y.v;
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k IS NOT DISTINCT FROM y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;
-- keys: 0, compare: final
SELECT x.id, x.k, x.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x WHERE x.k IN (SELECT y.k FROM (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y WHERE x.window_start = y.window_start AND x.window_end = y.window_end);
-- keys: 0, compare: final
SELECT x.id, x.k, x.window_end FROM (SELECT * FROM TABLE(HOP(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) x WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM TABLE(HOP(TABLE r, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) y WHERE x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v < y.v);
-- keys: 0, compare: final
SELECT x.id, x.k, x.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x WHERE x.k NOT IN (SELECT y.k FROM (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y WHERE x.window_start = y.window_start AND x.window_end = y.window_end AND y.v > 5);
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_start, x.window_end FROM (SELECT * FROM TABLE(SESSION(TABLE l PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))) x LEFT JOIN (SELECT * FROM TABLE(SESSION(TABLE l PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;
-- keys: 0, compare: final
SELECT x.k, y.k, x.n, y.s, x.window_end, y.window_end FROM (SELECT k, window_start, window_end, window_time, COUNT(*) AS n, SUM(v) AS s FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) GROUP BY k, window_start, window_end, window_time) x FULL JOIN (SELECT k, window_start, window_end, window_time, COUNT(*) AS n, SUM(v) AS s FROM (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) GROUP BY k, window_start, window_end, window_time) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;
-- keys: 0, compare: final
SELECT x.id, y.id, z.id, x.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end LEFT JOIN (SELECT * FROM TABLE(TUMBLE(TABLE m, DESCRIPTOR(ts), INTERVAL '10' SECOND))) z ON x.k = z.k AND x.window_start = z.window_start AND x.window_end = z.window_end;
-- keys: 0, compare: final
SELECT ws, we, COUNT(*), SUM(v) FROM (SELECT x.window_start AS ws, x.window_end AS we, y.v FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end) GROUP BY ws, we;
-- keys: 0, compare: final
SELECT window_end, COUNT(*), SUM(d) FROM TABLE(TUMBLE((SELECT x.window_time AS wt, y.v - x.v AS d FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end), DESCRIPTOR(wt), INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
-- keys: 0, compare: final
SELECT x.k, x.id, y.id, x.window_end FROM (SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC, id) AS rn FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND)))) WHERE rn = 1) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;
-- keys: 0, compare: final
SELECT x.id, y.id FROM (SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND))) x JOIN (SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_end = y.window_end;
