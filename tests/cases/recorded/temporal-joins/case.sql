SET 'pipeline.auto-watermark-interval' = '0';
CREATE TABLE orders (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ot AS ot - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE steady (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), WATERMARK FOR ot AS ot - INTERVAL '13' MINUTE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE changing (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), WATERMARK FOR ot AS ot - INTERVAL '1' DAY, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/changing.json', 'format' = 'debezium-json');
CREATE TABLE rates (cur STRING, rate BIGINT, note STRING, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY, PRIMARY KEY (cur) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/rates.json', 'format' = 'debezium-json');
CREATE TABLE prices (cur STRING, cno STRING, price BIGINT, vf TIMESTAMP(3), WATERMARK FOR vf AS vf - INTERVAL '1' DAY, PRIMARY KEY (cur, cno) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/prices.json', 'format' = 'debezium-json');
CREATE TABLE history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE TABLE steady_history (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '11' MINUTE) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE TABLE orders_z (id BIGINT, cur STRING, cno STRING, amt BIGINT, ot TIMESTAMP(3), oz AS CAST(ot AS TIMESTAMP_LTZ(3)), WATERMARK FOR oz AS oz - INTERVAL '1' DAY) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders.json', 'format' = 'json');
CREATE TABLE history_z (cur STRING, cno STRING, rate BIGINT, rt TIMESTAMP(3), rz AS CAST(rt AS TIMESTAMP_LTZ(3)), WATERMARK FOR rz AS rz - INTERVAL '1' DAY, PRIMARY KEY (cur, cno) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/history.json', 'format' = 'json');
CREATE VIEW last_rate AS SELECT cur, cno, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM history) WHERE rn = 1;
CREATE VIEW steady_last AS SELECT cur, cno, rate, rt FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY rt DESC) AS rn FROM steady_history) WHERE rn = 1;
CREATE VIEW priced AS SELECT o.id, o.cur, o.amt, o.ot, r.rate FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, o.cur, o.amt, r.rate, r.note, r.rt FROM orders AS o JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, p.price, p.vf FROM orders AS o LEFT JOIN prices FOR SYSTEM_TIME AS OF o.ot AS p ON o.cur = p.cur AND p.cno = o.cno;
-- keys: 1, compare: exact
SELECT o.id, r.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur AND o.amt * 5 < r.rate AND r.note IS NOT NULL;
-- keys: 2, compare: exact
SELECT o.id, o.cur, o.amt, r.rate FROM changing AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur;
-- keys: 1, compare: exact
SELECT o.id, r.rate, p.price, h.rate FROM orders AS o LEFT JOIN rates FOR SYSTEM_TIME AS OF o.ot AS r ON o.cur = r.cur LEFT JOIN prices FOR SYSTEM_TIME AS OF o.ot AS p ON o.cur = p.cur AND o.cno = p.cno JOIN last_rate FOR SYSTEM_TIME AS OF o.ot AS h ON h.cur = o.cur;
-- keys: 1, compare: exact
SELECT o.id, h.rate, h.cno, h.rt FROM steady AS o JOIN steady_last FOR SYSTEM_TIME AS OF o.ot AS h ON o.cur = h.cur;
-- keys: 1, compare: exact
SELECT z.id, h.rate, h.rz FROM orders_z AS z JOIN history_z FOR SYSTEM_TIME AS OF z.oz AS h ON z.cur = h.cur AND z.cno = h.cno;
-- keys: 1, compare: exact
SELECT window_start, COUNT(*), SUM(amt * rate) FROM TABLE(TUMBLE(TABLE priced, DESCRIPTOR(ot), INTERVAL '30' MINUTE)) GROUP BY window_start, window_end;
