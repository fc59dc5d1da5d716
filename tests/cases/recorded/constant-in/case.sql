CREATE TABLE l (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'canal-json');
CREATE TABLE r (id INT, v INT, w INT NOT NULL, b BOOLEAN, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'canal-json');
-- keys: 0, compare: final
SELECT id, 5 IN (SELECT v FROM r) AS x, 5 NOT IN (SELECT v FROM r) AS y FROM l;
-- keys: 0, compare: final
SELECT id, 5 IN (SELECT w FROM r) AS x, 6 NOT IN (SELECT w FROM r) AS y FROM l;
-- keys: 0, compare: final
SELECT id, 7 IN (SELECT v FROM r WHERE id > 100) AS x, 7 IN (SELECT v FROM r WHERE v IS NOT NULL) AS y FROM l;
-- keys: 0, compare: final
SELECT id, (4, 6) IN (SELECT v, w FROM r) AS x, (4, 7) NOT IN (SELECT v, w FROM r) AS y FROM l;
-- keys: 0, compare: final
SELECT id, 4 IN (SELECT v FROM r WHERE r.id = l.id) AS x, 9 NOT IN (SELECT v FROM r WHERE r.id = l.id) AS y FROM l;
-- keys: 0, compare: final
SELECT id, 6 IN (SELECT w FROM r WHERE r.id = l.id) AS x, 4 IN (SELECT v FROM r WHERE r.w = l.v) AS y FROM l;
-- keys: 0, compare: final
SELECT id, TRUE IN (SELECT b FROM r) AS x, FALSE IN (SELECT b FROM r WHERE id < 3) AS y FROM l;
-- keys: 0, compare: final
SELECT id FROM l WHERE v > 6 OR 4 IN (SELECT v FROM r);
-- keys: 0, compare: final
SELECT id FROM l WHERE v > 6 OR 9 NOT IN (SELECT v FROM r WHERE v IS NOT NULL);
-- keys: 0, compare: final
SELECT id, CASE WHEN 4 IN (SELECT v FROM r) THEN 1 ELSE 2 END AS x FROM l;
-- keys: 0, compare: final
SELECT v, COUNT(*) AS n FROM l GROUP BY v HAVING COUNT(*) > 1 OR 4 IN (SELECT v FROM r);
-- keys: 0, compare: final
SELECT id, 'x' IN (SELECT CAST(v AS STRING) FROM r) AS x, CAST(NULL AS INT) IN (SELECT v FROM r) AS y FROM l;
