SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE t (id INT, k STRING, v INT, d DOUBLE, m DECIMAL(10, 2), s STRING, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '40' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
-- keys: 1, compare: exact
SELECT k, id, ts, SUM(v) OVER w, AVG(d) OVER w, COUNT(DISTINCT s) OVER w, MAX(m) OVER w, LISTAGG(s, '-') OVER w FROM t WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '20' SECOND PRECEDING AND CURRENT ROW);
-- keys: 2, compare: exact
SELECT 'rows' AS q, k, id, MAX(v) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a FROM t
UNION ALL SELECT 'lag', k, id, LAG(v, 2) OVER (PARTITION BY k ORDER BY ts) FROM t
UNION ALL SELECT 'number', 'all', id, CAST(ROW_NUMBER() OVER (ORDER BY ts) AS INT) FROM t
UNION ALL SELECT 'clock', k, id, SUM(v) OVER (PARTITION BY k ORDER BY pt) FROM t
UNION ALL SELECT 'rows by the clock', k, id, MIN(v) OVER (PARTITION BY k ORDER BY pt ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t;
-- keys: 0, compare: exact
SELECT id, k, ts FROM t ORDER BY ts, k DESC, id;
