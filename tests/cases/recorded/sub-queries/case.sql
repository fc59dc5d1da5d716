CREATE TABLE orders (id INT, cust STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'canal-json');
CREATE TABLE customers (cust STRING, city STRING, tier INT, PRIMARY KEY (cust) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/customers.json', 'format' = 'canal-json');
CREATE TABLE notes (id INT, cust STRING, text STRING) WITH ('connector' = 'filesystem', 'path' = '${DATA}/notes.json', 'format' = 'json');
-- keys: 1, compare: final
SELECT id, qty FROM orders WHERE cust IN (SELECT cust FROM customers WHERE tier > 1);
-- keys: 1, compare: final
SELECT id, qty FROM orders WHERE cust NOT IN (SELECT cust FROM notes WHERE text = 'x');
-- keys: 1, compare: final
SELECT cust, tier FROM customers AS c WHERE EXISTS (SELECT 1 FROM orders AS o WHERE o.cust = c.cust AND o.qty > c.tier);
-- keys: 1, compare: final
SELECT cust FROM customers AS c WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.cust = c.cust) OR tier > 3;
-- keys: 1, compare: final
SELECT id, cust IN (SELECT cust FROM customers WHERE city = 'Rome') AS roman FROM orders;
-- keys: 1, compare: final
SELECT cust, (SELECT COUNT(*) FROM orders AS o WHERE o.cust = c.cust) AS n, (SELECT MAX(qty) FROM orders) AS top FROM customers AS c;
-- keys: 1, compare: final
SELECT id, qty FROM orders WHERE qty >= ALL (SELECT tier FROM customers);
-- keys: 1, compare: final
SELECT id, qty FROM orders WHERE qty < ANY (SELECT tier FROM customers WHERE city IS NOT NULL);
-- keys: 1, compare: final
SELECT cust, SUM(qty) FROM orders GROUP BY cust HAVING SUM(qty) > (SELECT AVG(qty) FROM orders);
-- keys: 1, compare: final
SELECT id FROM orders AS o WHERE qty > (SELECT AVG(p.qty) FROM orders AS p WHERE p.id < o.id);
-- keys: 1, compare: final
SELECT id FROM orders WHERE (cust, qty) IN (SELECT cust, tier FROM customers);
