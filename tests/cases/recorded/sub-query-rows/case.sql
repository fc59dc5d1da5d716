CREATE TABLE l (id BIGINT, k INT, g STRING, v INT, nn INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/l.json', 'format' = 'canal-json');
CREATE TABLE r (id BIGINT, k INT, g STRING, v INT, nn INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/r.json', 'format' = 'canal-json');
-- keys: 0, compare: final
SELECT id, (SELECT g FROM r WHERE r.id = l.id) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT g FROM r WHERE r.id = l.v + 1 AND r.k > 1) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT UPPER(g) FROM r WHERE r.id = l.k AND r.v = l.v) AS x FROM l;
-- keys: 0, compare: final
SELECT id FROM l WHERE v > (SELECT v FROM r WHERE l.id = r.id) OR k > 3;
-- keys: 0, compare: final
SELECT id, (SELECT n FROM (SELECT k, COUNT(*) AS n FROM r GROUP BY k) q WHERE q.k = l.k) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT v + 1 FROM r WHERE r.id = l.id AND r.v < l.v) AS x FROM l;
-- keys: 0, compare: final
SELECT id FROM l WHERE (SELECT COUNT(*) FROM r WHERE r.k = l.k) > 0 AND v > 3;
-- keys: 0, compare: final
SELECT id FROM l WHERE 1 <= (SELECT COUNT(*) FROM r WHERE r.k = l.k AND r.v < l.v);
-- keys: 0, compare: final
SELECT id FROM l WHERE (SELECT COUNT(*) FROM r WHERE r.k = l.k) > 0 OR v > 3;
-- keys: 0, compare: final
SELECT id FROM l WHERE NOT ((SELECT COUNT(*) FROM r WHERE r.k = l.k) > 0);
-- keys: 0, compare: final
SELECT id FROM l WHERE NOT ((SELECT COUNT(*) FROM r WHERE r.k = l.k) <= 0);
-- keys: 0, compare: final
SELECT id FROM l WHERE (SELECT COUNT(v) FROM r WHERE r.k = l.k) > 0;
-- keys: 0, compare: final
SELECT id, (SELECT COUNT(*) FROM r WHERE r.k = l.k) > 0 AS x FROM l;
-- keys: 0, compare: final
SELECT id FROM l WHERE NOT EXISTS (SELECT * FROM r);
-- keys: 0, compare: final
SELECT id FROM l WHERE NOT EXISTS (SELECT * FROM r WHERE v > 3) AND k > 1;
-- keys: 0, compare: final
SELECT id, (SELECT MAX(v) FROM r WHERE r.k = l.k AND r.v < l.k) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT MAX(v) FROM r WHERE r.k = l.k AND r.v < l.v) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT MAX(v) FROM r WHERE r.k + 1 = l.k AND r.g = l.g) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT MAX(v) FROM r WHERE r.k = l.k + 1) AS x FROM l;
-- keys: 0, compare: final
SELECT id, (SELECT COUNT(*) FROM r WHERE r.k = l.k AND r.v = l.k) AS x FROM l;
-- keys: 0, compare: final
SELECT id, x FROM l, LATERAL (SELECT v + 1 AS x FROM r WHERE r.k = l.k AND r.g <> l.g) AS t;
-- keys: 0, compare: final
SELECT id, x FROM l, LATERAL (SELECT SUM(v) AS x FROM r WHERE r.k < l.k) AS t;
-- keys: 0, compare: final
SELECT id FROM l WHERE v < ALL (SELECT v FROM r WHERE r.k = l.k);
-- keys: 0, compare: final
SELECT id, v >= ANY (SELECT v FROM r WHERE r.k = l.k) AS x FROM l;
