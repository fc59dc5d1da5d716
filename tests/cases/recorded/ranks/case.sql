CREATE TABLE orders (id INT, cust STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'canal-json');
CREATE TABLE customers (cust STRING, city STRING, tier INT, PRIMARY KEY (cust) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/customers.json', 'format' = 'canal-json');
CREATE TABLE notes (id INT, cust STRING, text STRING, pt AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = '${DATA}/notes.json', 'format' = 'json');
CREATE TABLE visits (id INT, cust STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '${DATA}/visits.json', 'format' = 'json');
SET 'pipeline.auto-watermark-interval' = '0';
-- keys: 1, compare: exact
SELECT cust, id, text FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY text DESC, id) AS rn FROM notes) WHERE rn <= 2;
-- keys: 1, compare: exact
SELECT cust, rn, id, qty FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY qty, id) AS rn FROM orders) WHERE rn <= 3;
-- keys: 1, compare: exact
SELECT cust, n, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC) AS rn FROM (SELECT cust, COUNT(*) AS n FROM notes GROUP BY cust)) WHERE rn <= 2;
-- keys: 1, compare: exact
SELECT id, qty FROM orders ORDER BY qty DESC, id LIMIT 4;
-- keys: 1, compare: exact
SELECT cust, id, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY ts DESC) AS rn FROM visits) WHERE rn = 1;
-- keys: 1, compare: exact
SELECT cust, id, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY ts) AS rn FROM visits) WHERE rn = 1;
-- keys: 1, compare: exact
SELECT cust, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cust ORDER BY pt) AS rn FROM notes) WHERE rn = 1;
-- keys: 1, compare: exact
SELECT id, text FROM notes ORDER BY text, id LIMIT 3 OFFSET 2;
-- keys: 1, compare: final
SELECT name, id FROM (SELECT c.city AS name, o.id, ROW_NUMBER() OVER (PARTITION BY c.city ORDER BY o.qty DESC, o.id) AS rn FROM orders AS o JOIN customers AS c ON o.cust = c.cust) WHERE rn = 1;
-- keys: 1, compare: exact
SELECT id, cust FROM notes LIMIT 4;
