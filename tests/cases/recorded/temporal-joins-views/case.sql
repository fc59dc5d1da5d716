SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE orders (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ot AS ot - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE rates (cur STRING, rate BIGINT, note STRING, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.json', 'format' = 'debezium-json');
CREATE TABLE prices (cur STRING, cno STRING, price BIGINT, vf TIMESTAMP(3), WATERMARK FOR vf AS vf - INTERVAL '1' DAY, PRIMARY KEY (cur, cno) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/prices.json', 'format' = 'debezium-json');
CREATE TABLE history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE TABLE keyed_history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '11' MINUTE, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE VIEW last_rate AS SELECT cur, cno, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM history) WHERE rn = 1;
CREATE VIEW priced AS SELECT o.id, o.cur, o.amt, o.ot, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
CREATE VIEW f1 AS SELECT * FROM keyed_history WHERE rate > 120;
CREATE VIEW f2 AS SELECT * FROM last_rate WHERE rate > 120;
CREATE VIEW top2 AS SELECT cur, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM history) WHERE rn <= 2;
CREATE VIEW d1 AS SELECT DISTINCT cur, rt FROM history;
CREATE VIEW d2 AS SELECT cur, rt, COUNT(*) AS n FROM history GROUP BY cur, rt;
CREATE VIEW casted AS SELECT cur, rate, CAST(rt AS TIMESTAMP(3)) AS rt FROM rates;
CREATE VIEW having_view AS SELECT cur, MAX(rate) AS top, MAX(rt) AS rt FROM history GROUP BY cur HAVING COUNT(*) > 2;
CREATE VIEW of_best AS SELECT cur, MAX(top) AS top, MAX(rt) AS rt FROM (SELECT cur, cno, MAX(rate) AS top, MAX(rt) AS rt FROM history GROUP BY cur, cno) GROUP BY cur;
CREATE VIEW priced_last AS SELECT cur, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM rates) WHERE rn = 1;
CREATE VIEW shifted AS SELECT cur, rate, rt + INTERVAL '1' MINUTE AS rt FROM rates;
SELECT o.id, c.rate FROM orders AS o LEFT JOIN f1 FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o LEFT JOIN f2 FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
SELECT o.id, c.rate FROM orders AS o LEFT JOIN top2 FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
SELECT o.id, c.rt FROM orders AS o LEFT JOIN d1 FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.n FROM orders AS o LEFT JOIN d2 FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur AND o.ot = c.rt;
SELECT o.id, c.rate FROM orders AS o LEFT JOIN casted FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.top FROM orders AS o LEFT JOIN having_view FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: final
SELECT o.id, c.top FROM orders AS o LEFT JOIN of_best FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o LEFT JOIN priced_last FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o LEFT JOIN shifted FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
SELECT o.id, p.price FROM orders AS o LEFT JOIN prices FOR SYSTEM_TIME AS OF o.ot AS p ON o.cur = p.cur AND p.cno = 'n1';
-- keys: 1, compare: exact
SELECT o.id, p.price FROM orders AS o LEFT JOIN prices FOR SYSTEM_TIME AS OF o.ot AS p ON p.cno = o.cno AND o.cur = p.cur AND o.amt > p.price;
SELECT o.id, c.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.pt AS c ON o.cur = c.cur;
SELECT o.id, c.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur AND FALSE;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur WHERE o.cur = 'EUR';
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM (SELECT * FROM orders LIMIT 5) AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur AND o.cur = c.note;
-- keys: 1, compare: exact
SELECT DISTINCT o.cur FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT id, rate FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rate DESC) AS rn FROM priced) WHERE rn <= 2;
