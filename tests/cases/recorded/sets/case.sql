CREATE TABLE offers (id INT, sku STRING, size INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/offers.json', 'format' = 'canal-json');
CREATE TABLE orders (id INT, sku STRING, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'canal-json');
CREATE TABLE stock (sku STRING, shelf INT NOT NULL) WITH ('connector' = 'filesystem', 'path' = '${DATA}/stock.json', 'format' = 'json');
-- keys: 1, compare: final
SELECT sku FROM offers INTERSECT SELECT sku FROM orders;
-- keys: 2, compare: final
SELECT sku, size FROM offers INTERSECT SELECT sku, amount FROM orders;
-- keys: 2, compare: final
SELECT sku, size FROM offers EXCEPT SELECT sku, amount FROM orders;
-- keys: 2, compare: final
SELECT sku, size FROM offers INTERSECT ALL SELECT sku, amount FROM orders;
-- keys: 2, compare: final
SELECT sku, size FROM offers EXCEPT ALL SELECT sku, amount FROM orders;
-- keys: 0, compare: final
SELECT shelf, sku FROM stock INTERSECT ALL (SELECT size, sku FROM offers EXCEPT SELECT amount, sku FROM orders);
-- keys: 1, compare: final
SELECT sku, COUNT(*) FROM (SELECT sku, shelf FROM stock EXCEPT SELECT sku, size FROM offers) WHERE shelf < 3 GROUP BY sku;
-- keys: 1, compare: final
SELECT sku FROM offers UNION SELECT sku FROM stock INTERSECT SELECT sku FROM orders EXCEPT SELECT 'date';
-- keys: 1, compare: final
WITH big AS (SELECT id, sku FROM offers WHERE size > 1) SELECT id FROM big EXCEPT SELECT id FROM big WHERE sku = 'bean';
