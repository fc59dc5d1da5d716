CREATE TABLE orders (id INT, cust STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'canal-json');
CREATE TABLE customers (cust STRING, city STRING, tier INT, PRIMARY KEY (cust) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/customers.json', 'format' = 'canal-json');
CREATE TABLE notes (id INT, cust STRING, text STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}/notes.json', 'format' = 'json');
-- keys: 1, compare: final
SELECT o.id, o.qty, c.city FROM orders AS o JOIN customers AS c ON o.cust = c.cust;
-- keys: 1, compare: final
SELECT o.id, o.qty, c.city FROM orders AS o LEFT JOIN customers AS c ON o.cust = c.cust AND o.qty < c.tier;
-- keys: 1, compare: final
SELECT c.cust, n.id, n.text FROM notes AS n RIGHT JOIN customers AS c ON n.cust = c.cust WHERE c.tier > 1;
-- keys: 0, compare: final
SELECT o.id, n.id, o.cust FROM orders AS o FULL JOIN notes AS n ON o.cust IS NOT DISTINCT FROM n.cust AND o.id = n.id;
-- keys: 1, compare: final
SELECT c.city, COUNT(*), SUM(o.qty) FROM orders AS o LEFT JOIN customers AS c USING (cust) GROUP BY c.city;
-- keys: 0, compare: final
SELECT a.id, b.id FROM orders AS a, orders AS b WHERE a.qty = b.qty AND a.id < b.id;
-- keys: 0, compare: final
SELECT o.id, c.cust, t.top FROM orders AS o LEFT JOIN customers AS c ON o.cust = c.cust CROSS JOIN (SELECT MAX(tier) AS top FROM customers) AS t;
