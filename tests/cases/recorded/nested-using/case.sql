CREATE TABLE t (id INT, g STRING, h INT, v INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
CREATE TABLE u (id INT, h INT, w INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/u.json', 'format' = 'json');
CREATE TABLE x (id INT, h INT, z INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/x.json', 'format' = 'json');
-- keys: 1, compare: final
SELECT v FROM t NATURAL JOIN u NATURAL JOIN x;
-- keys: 1, compare: final
SELECT * FROM t NATURAL JOIN u;
-- keys: 1, compare: final
SELECT v, w FROM t NATURAL JOIN (u JOIN x USING (id));
-- keys: 1, compare: final
SELECT * FROM t LEFT JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t LEFT JOIN (u RIGHT JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM (u FULL JOIN x USING (id)) LEFT JOIN t USING (id);
-- keys: 1, compare: final
SELECT id, v, w, z FROM t LEFT JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t RIGHT JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t FULL JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT id, u.id, x.id, t.id FROM t FULL JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT id FROM t FULL JOIN (u FULL JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN x USING (id)) ON t.id = u.id;
-- keys: 1, compare: final
SELECT * FROM t LEFT JOIN (u JOIN x USING (id)) ON t.id = u.id;
-- keys: 1, compare: final
SELECT id FROM t JOIN (u JOIN x USING (id)) ON t.id = u.id;
-- keys: 1, compare: final
SELECT u.id, x.id FROM t JOIN (u JOIN x USING (id)) ON t.id = x.id;
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN x USING (h)) USING (id);
-- keys: 1, compare: final
SELECT h FROM t JOIN (u JOIN x USING (h)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN x USING (id, h)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN x USING (id, h)) USING (id, h);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN x USING (id)) USING (h);
-- keys: 1, compare: final
SELECT * FROM (t JOIN u USING (id)) JOIN (x JOIN t AS t2 USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM (t JOIN u USING (id)) JOIN (x JOIN t AS t2 USING (id)) ON u.w = t2.v * 10;
-- keys: 1, compare: final
SELECT * FROM t CROSS JOIN (u JOIN x USING (id));
-- keys: 1, compare: final
SELECT * FROM t, u JOIN x USING (id);
-- keys: 1, compare: final
SELECT * FROM t RIGHT JOIN u USING (id);
-- keys: 1, compare: final
SELECT * FROM (t JOIN x USING (id)) RIGHT JOIN u ON t.h = u.h;
-- keys: 1, compare: final
SELECT x.*, u.* FROM t JOIN (u JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN (x JOIN t AS t2 USING (id)) USING (id)) USING (id);
-- keys: 1, compare: final
SELECT * FROM t JOIN (u JOIN (x JOIN t AS t2 USING (h)) ON u.id = x.id) ON t.id = u.id;
-- keys: 1, compare: final
SELECT COUNT(*), SUM(id) FROM t JOIN (u JOIN x USING (id)) USING (id);
-- keys: 1, compare: final
SELECT id, COUNT(*) FROM t JOIN (u JOIN x USING (id)) USING (id) GROUP BY id;
-- keys: 1, compare: final
SELECT v FROM t JOIN (u JOIN x USING (id)) USING (id) WHERE id > 3 ORDER BY id;
