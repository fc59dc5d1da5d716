-- Projection and WHERE
SELECT id + 1, UPPER(k) FROM orders WHERE v > 3;
-- SELECT DISTINCT
SELECT DISTINCT k FROM orders;
-- WITH
WITH x AS (SELECT k FROM orders) SELECT * FROM x;
-- WITH RECURSIVE
WITH RECURSIVE x (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT * FROM x;
-- CASE, COALESCE, NULLIF
SELECT CASE WHEN v > 1 THEN 'a' ELSE 'b' END, COALESCE(k, 'x'), NULLIF(v, 1) FROM orders;
-- Fields of rows, elements of arrays and maps
SELECT o.buyer.name, items[1], tags['a'] FROM orders AS o;
-- UNION ALL
SELECT k FROM orders UNION ALL SELECT k FROM payments;
-- UNION
SELECT k FROM orders UNION SELECT k FROM payments;
-- INTERSECT
SELECT k FROM orders INTERSECT SELECT k FROM payments;
-- INTERSECT ALL
SELECT k FROM orders INTERSECT ALL SELECT k FROM payments;
-- EXCEPT
SELECT k FROM orders EXCEPT SELECT k FROM payments;
-- EXCEPT ALL
SELECT k FROM orders EXCEPT ALL SELECT k FROM payments;
-- ORDER BY a time attribute
SELECT * FROM orders ORDER BY ts;
-- ORDER BY another column
SELECT * FROM orders ORDER BY v;
-- TABLESAMPLE
SELECT * FROM orders TABLESAMPLE BERNOULLI (10);
-- UNNEST of an array
SELECT id, i FROM orders CROSS JOIN UNNEST(items) AS u (i);
-- UNNEST of a map
SELECT id, a, b FROM orders LEFT JOIN UNNEST(tags) AS u (a, b) ON TRUE;
-- UNNEST ... WITH ORDINALITY
SELECT id, i, p FROM orders CROSS JOIN UNNEST(items) WITH ORDINALITY AS u (i, p);
-- MATCH_RECOGNIZE
SELECT * FROM payments MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS v PATTERN (A B) DEFINE A AS A.v > 1);
-- PIVOT
SELECT * FROM (SELECT k, v FROM orders) PIVOT (SUM(v) FOR k IN ('a', 'b'));
-- Hint OPTIONS
SELECT * FROM orders /*+ OPTIONS('json.ignore-parse-errors' = 'true') */;
-- Hint STATE_TTL
SELECT /*+ STATE_TTL('o' = '1 h') */ k, SUM(v) FROM orders AS o GROUP BY k;
