CREATE TABLE l (id INT, k INT, g STRING, v INT, m DECIMAL(8, 2), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'canal-json');
CREATE TABLE r (id INT, k INT, g STRING, v INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'canal-json');
-- keys: 0, compare: final
SELECT l.id, t.x FROM l, LATERAL (SELECT r.v + l.id AS x FROM r WHERE r.k = l.k) AS t;
-- keys: 0, compare: final
SELECT l.id, t.x, t.y FROM l LEFT JOIN LATERAL (SELECT r.v AS x, l.id + 1 AS y FROM r WHERE r.k = l.k) AS t ON TRUE;
-- keys: 0, compare: final
SELECT l.id, t.x FROM l, LATERAL (SELECT SUM(r.v * l.id) AS x FROM r WHERE r.k = l.k) AS t;
-- keys: 0, compare: final
SELECT l.id, t.d, t.n FROM l, LATERAL (SELECT r.v - l.id AS d, COUNT(*) AS n FROM r WHERE r.k = l.k GROUP BY r.v - l.id) AS t;
-- keys: 0, compare: final
SELECT l.id, t.x FROM l, LATERAL (SELECT DISTINCT r.v + l.id AS x FROM r WHERE r.k = l.k) AS t;
-- keys: 0, compare: final
SELECT l.id, (SELECT SUM(r.v * l.id) FROM r WHERE r.k = l.k) FROM l;
-- keys: 0, compare: final
SELECT l.id, (SELECT COUNT(CASE WHEN r.v > l.id THEN 1 END) FROM r WHERE r.k = l.k) FROM l;
-- keys: 0, compare: final
SELECT l.id, (SELECT MAX(l.id - r.v) FROM r) FROM l;
-- keys: 0, compare: final
SELECT l.id, l.v IN (SELECT r.v + l.id FROM r WHERE r.k = l.k) FROM l;
-- keys: 0, compare: final
SELECT l.id FROM l WHERE l.id IN (SELECT r.v + l.id FROM r WHERE r.k = l.k);
-- keys: 0, compare: final
SELECT l.id FROM l WHERE l.v NOT IN (SELECT r.v - l.id FROM r WHERE r.k = l.k);
-- keys: 0, compare: final
SELECT l.id FROM l WHERE l.v > (SELECT AVG(r.v - l.id) FROM r WHERE r.k = l.k);
-- keys: 0, compare: final
SELECT l.id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND EXISTS (SELECT 1 FROM r AS s WHERE s.g = r.g AND s.v > l.v));
-- keys: 0, compare: final
SELECT l.id FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.v IN (SELECT s.v FROM r AS s WHERE s.g = r.g AND s.id <> l.id));
-- keys: 0, compare: final
SELECT l.id, t.x FROM l, LATERAL (SELECT SUM(r.v) + l.v AS x FROM r WHERE r.k = l.k) AS t;
-- keys: 0, compare: final
SELECT l.id, (SELECT COUNT(*) FROM r WHERE r.k = l.k HAVING COUNT(*) > l.v) FROM l;
