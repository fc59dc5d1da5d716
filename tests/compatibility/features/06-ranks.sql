-- Top-N with its number
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM customers) WHERE n <= 3;
-- Top-N without its number
SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM customers) WHERE n <= 3;
-- Top-N by QUALIFY
SELECT id, k FROM customers QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) <= 3;
-- Top-N with an offset
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM customers) WHERE n BETWEEN 2 AND 3;
-- Top-N bounded by a column
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM orders) WHERE n <= v;
-- Top-N of an aggregate
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY s DESC) AS n FROM (SELECT k, SUM(v) AS s FROM orders GROUP BY k)) WHERE n <= 3;
-- Top-N by RANK
SELECT * FROM (SELECT *, RANK() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM customers) WHERE n <= 3;
-- Top-N by DENSE_RANK
SELECT * FROM (SELECT *, DENSE_RANK() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM customers) WHERE n <= 3;
-- Deduplication by row time, first row
SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts) AS n FROM orders) WHERE n = 1;
-- Deduplication by row time, last row
SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM orders) WHERE n = 1;
-- Deduplication by processing time
SELECT id, k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS n FROM orders) WHERE n = 1;
-- ORDER BY ... LIMIT
SELECT * FROM customers ORDER BY v LIMIT 3;
-- ORDER BY ... OFFSET ... FETCH
SELECT * FROM customers ORDER BY v OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY;
-- LIMIT alone
SELECT * FROM customers LIMIT 3;
