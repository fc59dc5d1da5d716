SET 'table.local-time-zone' = 'UTC';
CREATE TABLE t (id INT, k STRING, v INT, s STRING, d DOUBLE, m DECIMAL(10, 2), b BOOLEAN, f BOOLEAN, ts TIMESTAMP(3), dt DATE, tm TIME(0), lz TIMESTAMP_LTZ(3), a ARRAY<INT>, mp MAP<STRING, INT>, r ROW<x INT, y STRING>, y BYTES, p DOUBLE, w INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT k, COLLECT(v), COLLECT(s) FROM t WHERE id < 110 OR id > 300 GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COLLECT(d), COLLECT(m), COLLECT(b), COLLECT(dt) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COLLECT(a), COLLECT(r), COLLECT(mp), COLLECT(ts) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, ARRAY_AGG(v), ARRAY_AGG(s IGNORE NULLS), ARRAY_AGG(DISTINCT v), ARRAY_AGG(v) FILTER (WHERE f) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, ARRAY_AGG(a), ARRAY_AGG(mp), ARRAY_AGG(r), ARRAY_AGG(y) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COLLECT(DISTINCT s), LISTAGG(DISTINCT s, ';'), COLLECT(v) FILTER (WHERE f), COUNT(DISTINCT a) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, JSON_ARRAYAGG(v), JSON_ARRAYAGG(s NULL ON NULL), JSON_ARRAYAGG(d), JSON_ARRAYAGG(m) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, JSON_ARRAYAGG(ts), JSON_ARRAYAGG(a), JSON_ARRAYAGG(mp NULL ON NULL), JSON_ARRAYAGG(r) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, JSON_OBJECTAGG(KEY CAST(id AS STRING) VALUE s), JSON_OBJECTAGG(CAST(id AS STRING) VALUE v ABSENT ON NULL) FROM t WHERE k <> 'a' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, PERCENTILE(v, 0.5), PERCENTILE(d, 0.25), PERCENTILE(m, ARRAY[0, 0.3, 1]), PERCENTILE(v, 0.9, w), PERCENTILE(DISTINCT v, 0.5), PERCENTILE(v, 0.1) FILTER (WHERE f) FROM t WHERE id < 110 OR id > 300 GROUP BY k;
-- keys: 1, compare: exact
SELECT k, FIRST_VALUE(a), LAST_VALUE(mp), FIRST_VALUE(r), LAST_VALUE(b), FIRST_VALUE(ts), LAST_VALUE(m) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT k, FIRST_VALUE(y), LAST_VALUE(y), MIN(tm), MAX(lz), MIN(s), MAX(b), MIN(m) FROM t WHERE k <> 'big' GROUP BY k;
-- keys: 1, compare: exact
SELECT id, SINGLE_VALUE(s), SINGLE_VALUE(ts), SINGLE_VALUE(v) FROM t WHERE id > 300 GROUP BY id;
-- keys: 0, compare: exact
SELECT COLLECT(v), ARRAY_AGG(s), JSON_ARRAYAGG(s), PERCENTILE(v, ARRAY[0.5, 1], w), LISTAGG(s), STDDEV(DISTINCT v), COUNT(r) FROM t WHERE id > 300 AND v > 20;
-- keys: 2, compare: exact
SELECT c, j, COUNT(*) FROM (SELECT k, COLLECT(v) AS c, JSON_ARRAYAGG(s) AS j FROM t WHERE v > 30 GROUP BY k) GROUP BY c, j;
