SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE orders (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ot AS ot - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE changing (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), WATERMARK FOR ot AS ot - INTERVAL '1' DAY, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/changing.json', 'format' = 'debezium-json');
CREATE TABLE rates (cur STRING, rate BIGINT, note STRING, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.json', 'format' = 'debezium-json');
CREATE TABLE history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE VIEW best AS SELECT cur, MAX(rate) AS top, MAX(rt) AS rt FROM history GROUP BY cur;
CREATE VIEW first_seen AS SELECT cur, FIRST_VALUE(rate) AS f, LAST_VALUE(rt) AS rt FROM history GROUP BY cur;
CREATE VIEW least_seen AS SELECT cur, MIN(rate) AS f, MIN(rt) AS rt FROM history GROUP BY cur;
CREATE VIEW of_cords AS SELECT cur, MAX(amt) AS top, MAX(ot) AS rt FROM changing GROUP BY cur;
-- keys: 1, compare: exact
SELECT o.id, c.top FROM orders AS o JOIN best FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM (SELECT id, cur, MAX(ot) AS ot FROM orders GROUP BY id, cur) AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.f FROM orders AS o JOIN first_seen FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.f, c.rt FROM orders AS o LEFT JOIN least_seen FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.top, c.rt FROM orders AS o LEFT JOIN best FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.top FROM orders AS o JOIN of_cords FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
