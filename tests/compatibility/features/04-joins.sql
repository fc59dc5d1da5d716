-- INNER JOIN
SELECT o.id, c.v FROM orders AS o JOIN customers AS c ON o.id = c.id;
-- LEFT JOIN
SELECT o.id, c.v FROM orders AS o LEFT JOIN customers AS c ON o.id = c.id;
-- RIGHT JOIN
SELECT o.id, c.v FROM orders AS o RIGHT JOIN customers AS c ON o.id = c.id;
-- FULL JOIN
SELECT o.id, c.v FROM orders AS o FULL JOIN customers AS c ON o.id = c.id;
-- CROSS JOIN
SELECT o.id, c.v FROM orders AS o CROSS JOIN customers AS c;
-- Join without an equality
SELECT o.id, c.v FROM orders AS o JOIN customers AS c ON o.v > c.v;
-- LEFT JOIN with a further condition
SELECT o.id, c.v FROM orders AS o LEFT JOIN customers AS c ON o.id = c.id AND o.v > c.v;
-- USING
SELECT id, o.v FROM orders AS o JOIN customers AS c USING (id);
-- NATURAL JOIN
SELECT * FROM payments NATURAL JOIN customers;
-- Self join
SELECT a.id, b.v FROM customers AS a JOIN customers AS b ON a.k = b.k;
-- IN (sub-query)
SELECT id FROM orders WHERE k IN (SELECT k FROM customers);
-- NOT IN (sub-query)
SELECT id FROM orders WHERE k NOT IN (SELECT k FROM customers);
-- EXISTS, correlated
SELECT id FROM orders AS o WHERE EXISTS (SELECT 1 FROM customers AS c WHERE c.k = o.k AND c.v > o.v);
-- NOT EXISTS, correlated
SELECT id FROM orders AS o WHERE NOT EXISTS (SELECT 1 FROM customers AS c WHERE c.k = o.k);
-- Scalar sub-query
SELECT id FROM orders WHERE v > (SELECT AVG(v) FROM customers);
-- Scalar sub-query, correlated
SELECT id, (SELECT MAX(v) FROM customers AS c WHERE c.k = o.k) FROM orders AS o;
-- ANY, ALL
SELECT id FROM orders WHERE v > ANY (SELECT v FROM customers);
-- LATERAL query
SELECT o.id, x.m FROM orders AS o, LATERAL (SELECT MAX(v) AS m FROM customers AS c WHERE c.k = o.k) AS x;
-- LEFT JOIN LATERAL with a condition
SELECT o.id, x.m FROM orders AS o LEFT JOIN LATERAL (SELECT MAX(v) AS m FROM customers AS c WHERE c.k = o.k) AS x ON x.m > o.v;
-- CROSS APPLY
SELECT o.id FROM orders AS o CROSS APPLY (SELECT 1) AS x;
-- Interval join by row time
SELECT o.id, p.v FROM orders AS o JOIN payments AS p ON o.k = p.k AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR;
-- Interval join, LEFT
SELECT o.id, p.v FROM orders AS o LEFT JOIN payments AS p ON o.k = p.k AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR;
-- Interval join, FULL
SELECT o.id, p.v FROM orders AS o FULL JOIN payments AS p ON o.k = p.k AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR;
-- Temporal join by row time
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k;
-- Temporal join by row time, LEFT
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k;
-- Temporal join by processing time
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.pt AS r ON o.k = r.k;
-- Lookup join [not recorded]
SELECT o.id, d.v FROM orders AS o JOIN dimension FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;
-- Lookup join, LEFT [not recorded]
SELECT o.id, d.v FROM orders AS o LEFT JOIN dimension FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.k;
-- Join of windows
SELECT l.k, r.v FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS l JOIN TABLE(TUMBLE(TABLE payments, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end;
-- Join of windows, FULL
SELECT l.k, r.v FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS l FULL JOIN TABLE(TUMBLE(TABLE payments, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS r ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end;
-- Join of windows, EXISTS
SELECT l.k FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS l WHERE EXISTS (SELECT 1 FROM TABLE(TUMBLE(TABLE payments, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) AS r WHERE l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end);
