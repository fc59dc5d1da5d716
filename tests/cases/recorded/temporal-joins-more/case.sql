SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE orders (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ot AS ot - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE steady (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), WATERMARK FOR ot AS ot - INTERVAL '13' MINUTE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE changing (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), WATERMARK FOR ot AS ot - INTERVAL '1' DAY, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/changing.json', 'format' = 'debezium-json');
CREATE TABLE rates (cur STRING, rate BIGINT, note STRING, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.json', 'format' = 'debezium-json');
CREATE TABLE history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE TABLE keyed_history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '11' MINUTE, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE VIEW last_rate AS SELECT cur, cno, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM history) WHERE rn = 1;
CREATE VIEW last_of_two AS SELECT cur, cno, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur, cno ORDER BY rt DESC) AS rn FROM history WHERE rate > 120) WHERE rn = 1;
CREATE VIEW renamed AS SELECT cur AS c, UPPER(note) AS n, rate * 2 AS twice, rt AS since FROM rates;
CREATE VIEW counted AS SELECT cur, window_time AS wt, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE history, DESCRIPTOR(rt), INTERVAL '30' MINUTE)) GROUP BY cur, window_start, window_end, window_time;
CREATE VIEW last_counted AS SELECT cur, wt, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY wt DESC) AS rn FROM counted) WHERE rn = 1;
CREATE VIEW priced AS SELECT o.id, o.cur, o.amt, o.ot, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
CREATE VIEW by_version AS SELECT o.id, o.cur, o.amt, r.rt, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, o.cur, o.amt, r.rate, r.rt FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 2, compare: exact
SELECT o.id, o.cur, o.amt * r.rate AS total FROM changing AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: final
SELECT o.cur, COUNT(*), SUM(o.amt * r.rate) FROM changing AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur GROUP BY o.cur;
-- keys: 1, compare: exact
SELECT o.id, h.rate FROM steady AS o LEFT JOIN keyed_history FOR SYSTEM_TIME AS OF o.ot AS h ON o.cur = h.cur;
-- keys: 1, compare: exact
SELECT o.id, h.rate FROM orders AS o LEFT JOIN last_of_two FOR SYSTEM_TIME AS OF o.ot AS h ON o.cur = h.cur AND o.cno = h.cno;
-- keys: 1, compare: exact
SELECT o.id, v.n, v.twice, v.since FROM orders AS o JOIN renamed FOR SYSTEM_TIME AS OF o.ot AS v ON o.cur = v.c;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur WHERE r.rate > 150 OR r.rate IS NULL;
-- keys: 1, compare: exact
SELECT cur, id, SUM(rate) OVER (PARTITION BY cur ORDER BY ot ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM priced;
-- keys: 1, compare: exact
SELECT id, rate FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ot) AS rn FROM priced) WHERE rn = 1;
-- keys: 1, compare: exact
SELECT o.id, c.n, c.wt FROM steady AS o LEFT JOIN last_counted FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT u.id, r.rate FROM (SELECT id, cur, ot FROM orders WHERE amt < 10 UNION ALL SELECT id + 100, cur, ot FROM orders WHERE amt > 30) AS u JOIN rates FOR SYSTEM_TIME AS OF u.ot AS r ON u.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON UPPER(o.cur) = r.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF ot AS r ON o.cur IS NOT DISTINCT FROM r.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM (SELECT id, cur, ot FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cno ORDER BY ot DESC) AS rn FROM orders) WHERE rn = 1) AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c USING (cur);
-- keys: 1, compare: exact
SELECT o.id, c.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur AND o.ot >= c.rt - INTERVAL '1' HOUR;
-- keys: 1, compare: final
SELECT o.id, p.id, c.rate FROM orders AS o JOIN changing AS p ON o.id = p.id JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, p.id, c.rate FROM orders AS o JOIN steady AS p ON o.id = p.id AND o.ot BETWEEN p.ot AND p.ot + INTERVAL '1' MINUTE JOIN rates FOR SYSTEM_TIME AS OF o.ot AS c ON o.cur = c.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate, h.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur JOIN last_rate FOR SYSTEM_TIME AS OF r.rt AS h ON h.cur = o.cur;
-- keys: 2, compare: exact
SELECT w.cur, w.wt, w.n, r.rate FROM counted AS w LEFT JOIN rates FOR SYSTEM_TIME AS OF w.wt AS r ON w.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM (SELECT id, cur, ot, COUNT(*) OVER (PARTITION BY cno ORDER BY ot ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM orders) AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 2, compare: exact
SELECT a.cur, a.rate, b.rate FROM rates AS a JOIN rates FOR SYSTEM_TIME AS OF a.rt AS b ON a.cur = b.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur AND o.cno = r.note;
-- keys: 1, compare: exact
SELECT id, r.rate FROM priced AS p JOIN renamed FOR SYSTEM_TIME AS OF p.ot AS v ON p.cur = v.c JOIN rates FOR SYSTEM_TIME AS OF p.ot AS r ON p.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur AND o.ot > TIMESTAMP '2026-03-01 09:00:00';
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur AND r.rt > o.ot - INTERVAL '20' MINUTE;
-- keys: 0, compare: exact
SELECT COUNT(*) FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: exact
SELECT b.id, r.rate FROM by_version AS b JOIN rates FOR SYSTEM_TIME AS OF b.rt AS r ON b.cur = r.cur;
