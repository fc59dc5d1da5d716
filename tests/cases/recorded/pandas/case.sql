SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE t (id INT, k STRING, v INT, d DOUBLE, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '4' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
-- where no row is late
CREATE TABLE u (id INT, k STRING, v INT, d DOUBLE, s STRING, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '40' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '4' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/c.json', 'format' = 'canal-json');
CREATE TEMPORARY SYSTEM FUNCTION mean AS 'tests.cases.series.mean' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION listed AS 'tests.cases.series.listed' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION ordered AS 'tests.cases.series.ordered' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION alone AS 'tests.cases.series.alone' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION spread AS 'tests.cases.series.spread' LANGUAGE PYTHON;
CREATE TEMPORARY SYSTEM FUNCTION total AS 'tests.cases.series.total' LANGUAGE PYTHON;
-- keys: 1, compare: exact
SELECT k, id, mean(v) OVER w, listed(v, d, s) OVER w, spread(v) OVER w FROM u WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW);
-- keys: 1, compare: exact
SELECT k, id, mean(v) OVER w, ordered(v) OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '6' SECOND PRECEDING AND CURRENT ROW);
-- keys: 2, compare: exact
SELECT 'time' AS q, k, id, listed(d) OVER w, alone(id) OVER w FROM u WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
UNION ALL SELECT 'clock', k, id, listed(v) OVER (PARTITION BY k ORDER BY pt ROWS BETWEEN 3 PRECEDING AND CURRENT ROW), 0 FROM t;
-- keys: 1, compare: exact
SELECT k, TUMBLE_START(ts, INTERVAL '10' SECOND) AS b, mean(v), listed(v, d, s), spread(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND);
-- keys: 0, compare: exact
SELECT HOP_START(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND) AS b, listed(id, k), mean(v + 1) FROM t GROUP BY HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND);
-- keys: 1, compare: exact
SELECT k, TUMBLE_END(ts, INTERVAL '8' SECOND) AS e, listed(id, v), alone(id) FROM c GROUP BY k, TUMBLE(ts, INTERVAL '8' SECOND);
SELECT k, mean(v) FROM t GROUP BY k;
SELECT k, mean(v) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND) GROUP BY k, window_start, window_end;
SELECT k, mean(v) FROM t GROUP BY k, SESSION(ts, INTERVAL '10' SECOND);
SELECT k, mean(v), total(v) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND);
SELECT k, mean(v), COUNT(*) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '10' SECOND);
SELECT k, mean(v) OVER (PARTITION BY k ORDER BY ts) FROM t;
SELECT k, mean(v) OVER (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) FROM c;
