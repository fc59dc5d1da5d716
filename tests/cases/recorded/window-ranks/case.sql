SET 'pipeline.auto-watermark-interval' = '0';
SET 'table.local-time-zone' = 'America/New_York';
CREATE TABLE bids (id INT, item STRING, price INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/bids.json', 'format' = 'json');
CREATE TABLE trips (id INT, k STRING, v INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/trips.json', 'format' = 'json', 'json.timestamp-format.standard' = 'SQL');
-- keys: 2, compare: exact
SELECT window_start, window_end, id, item, price, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC) AS rn FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE rn <= 3;
-- keys: 3, compare: exact
SELECT window_start, window_end, item, id, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY price, id DESC) AS rn FROM TABLE(HOP(TABLE bids, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))) WHERE rn BETWEEN 2 AND 3;
-- keys: 3, compare: exact
SELECT window_start, window_end, item, id, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY ts) AS rn FROM TABLE(CUMULATE(TABLE bids, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND))) WHERE rn = 1;
-- keys: 3, compare: exact
SELECT window_start, window_end, item, id, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY ts DESC) AS rn FROM TABLE(HOP(TABLE bids, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND))) WHERE rn = 1;
-- keys: 2, compare: exact
SELECT window_start, window_end, id, item FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY pt DESC) AS rn FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE rn = 1;
-- keys: 3, compare: exact
SELECT item, window_start, window_end, id, price, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY price DESC, id) AS rn FROM TABLE(SESSION(TABLE bids PARTITION BY item, DESCRIPTOR(ts), INTERVAL '4' SECOND))) WHERE rn <= 2;
-- keys: 2, compare: exact
SELECT window_start, window_end, item, n, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC, item) AS rn FROM (SELECT item, window_start, window_end, COUNT(*) AS n FROM TABLE(HOP(TABLE bids, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY item, window_start, window_end)) WHERE rn <= 2;
-- keys: 2, compare: exact
SELECT window_start, window_end, SUM(price), COUNT(*) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY price DESC, id) AS rn FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE rn <= 2 GROUP BY window_start, window_end;
-- keys: 1, compare: exact
SELECT item, COUNT(*), MAX(price) FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY ts DESC) AS rn FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE rn = 1 GROUP BY item;
-- keys: 2, compare: exact
SELECT window_start, window_end, k, id, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY v DESC, id) AS rn FROM TABLE(HOP(TABLE trips, DESCRIPTOR(ts), INTERVAL '30' MINUTE, INTERVAL '1' HOUR))) WHERE rn <= 2;
-- keys: 3, compare: exact
SELECT window_start, window_end, k, id, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY ts DESC) AS rn FROM TABLE(TUMBLE(TABLE trips, DESCRIPTOR(ts), INTERVAL '1' HOUR))) WHERE rn = 1;
-- keys: 2, compare: exact
SELECT window_start, window_end, id, item, price FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY price DESC, id) AS rn FROM (SELECT id, item, price, window_start, window_end, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, item ORDER BY price DESC, id) AS ri FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE ri <= 1) WHERE rn <= 2;
