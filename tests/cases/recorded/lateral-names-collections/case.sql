CREATE TABLE l (id INT, k INT, g STRING, v INT, m DECIMAL(8, 2), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'canal-json');
CREATE TABLE r (id INT, k INT, g STRING, v INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'canal-json');
CREATE TABLE e (id INT NOT NULL, k INT, xs ARRAY<INT>, mp MAP<STRING, INT>, rw ROW<a INT, b STRING>, rs ARRAY<ROW<a INT, b STRING>>) WITH ('connector' = 'filesystem', 'path' = '${DATA}/e.json', 'format' = 'json');
-- keys: 0, compare: final
SELECT l.id, t.n FROM l LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM r WHERE r.k = l.k) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n FROM l LEFT JOIN LATERAL (SELECT COUNT(*) + 1 AS n FROM r WHERE r.k = l.k) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n, t.x FROM l LEFT JOIN LATERAL (SELECT COUNT(*) AS n, MAX(v) AS x FROM r WHERE r.k = l.k) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n FROM l LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM r WHERE r.k < l.k) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n FROM l LEFT JOIN LATERAL (SELECT COUNT(v) AS n FROM r WHERE r.k = l.k AND r.g = l.g) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n FROM l LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM r WHERE r.k = l.k HAVING COUNT(*) > 1) AS t ON TRUE;
-- keys: 0, compare: final
SELECT t.k, u.v FROM (SELECT DISTINCT k FROM l) AS t, LATERAL (SELECT v, id FROM l WHERE k = t.k ORDER BY v, id LIMIT 2) AS u;
SELECT t.k, u.v FROM (SELECT DISTINCT k FROM l) AS t LEFT JOIN LATERAL (SELECT v, id FROM l WHERE k = t.k ORDER BY v, id LIMIT 2) AS u ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.n FROM l, LATERAL (SELECT DISTINCT v AS n FROM r WHERE r.k = l.k) AS t;
-- keys: 0, compare: final
SELECT k FROM l JOIN r USING (k) JOIN e USING (id);
-- keys: 0, compare: final
SELECT k, id FROM l JOIN r USING (k) LEFT JOIN e USING (id);
SELECT k FROM l JOIN r USING (k) JOIN e ON l.id = e.id;
-- keys: 0, compare: final
SELECT k + 1 FROM l JOIN r USING (k) JOIN e USING (id);
-- keys: 0, compare: final
SELECT id FROM l RIGHT JOIN r USING (k, id) LEFT JOIN e USING (k);
-- keys: 0, compare: final
SELECT a FROM e;
-- keys: 0, compare: final
SELECT id FROM e WHERE a = 1;
-- keys: 0, compare: final
SELECT id, a, b FROM e ORDER BY b, id LIMIT 2;
-- keys: 0, compare: final
SELECT e.a FROM e;
-- keys: 0, compare: final
SELECT id FROM l WHERE (k, g) NOT IN (SELECT k, g FROM r WHERE v > 0);
-- keys: 0, compare: final
SELECT id FROM l WHERE (k IN (SELECT k FROM r)) IS UNKNOWN;
-- keys: 0, compare: final
SELECT * FROM (SELECT l.id, r.v, ROW_NUMBER() OVER (PARTITION BY l.id ORDER BY r.v DESC, r.id) AS rn FROM l LEFT JOIN r ON l.k = r.k) WHERE rn = 1;
-- keys: 0, compare: final
SELECT id, k FROM (SELECT id, k, ROW_NUMBER() OVER (PARTITION BY id ORDER BY v) AS rn FROM l) WHERE rn = 1;
-- keys: 0, compare: final
SELECT xs FROM e INTERSECT SELECT xs FROM e;
-- keys: 0, compare: final
SELECT xs FROM e EXCEPT SELECT xs FROM e;
-- keys: 0, compare: final
SELECT mp FROM e UNION SELECT mp FROM e;
-- keys: 0, compare: final
SELECT mp FROM e INTERSECT ALL SELECT mp FROM e;
-- keys: 0, compare: final
SELECT rw FROM e EXCEPT ALL SELECT rw FROM e WHERE id > 5;
-- keys: 0, compare: final
SELECT a.id, b.id FROM e AS a JOIN e AS b ON a.xs = b.xs;
-- keys: 0, compare: final
SELECT a.id, b.id FROM e AS a JOIN e AS b ON a.mp = b.mp;
-- keys: 0, compare: final
SELECT a.id, b.id FROM e AS a JOIN e AS b ON a.rw = b.rw;
