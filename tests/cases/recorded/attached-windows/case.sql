SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE l (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'json');
CREATE TABLE r (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '10' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'json');
-- keys: 0, compare: final
SELECT x.id, y.id, x.window_end, y.window_end FROM (SELECT * FROM TABLE(HOP(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) x LEFT JOIN (SELECT * FROM TABLE(HOP(TABLE r, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) y ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end AND x.v < y.v;
-- keys: 2, compare: exact
SELECT window_start, window_end, id, k, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC, id) AS rn FROM TABLE(HOP(TABLE l, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) WHERE rn <= 2;
