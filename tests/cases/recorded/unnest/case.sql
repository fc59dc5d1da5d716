CREATE TABLE carts (id INT, tags ARRAY<STRING>, lines ARRAY<ROW<sku STRING, qty INT>>, prices MAP<STRING, INT>, grid ARRAY<ARRAY<INT>>, box ROW<sizes ARRAY<INT>>) WITH ('connector' = 'filesystem', 'path' = '${DATA}/carts.json', 'format' = 'json');
CREATE TABLE visits (id INT, team STRING, score INT, page STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/visits.json', 'format' = 'canal-json');
-- keys: 1, compare: exact
SELECT id, tag FROM carts, UNNEST(carts.tags) AS t (tag);
-- keys: 1, compare: exact
SELECT id, tag, n FROM carts CROSS JOIN UNNEST(tags) WITH ORDINALITY AS t (tag, n) WHERE tag <> 'red';
-- keys: 1, compare: exact
SELECT id, sku, qty FROM carts LEFT JOIN UNNEST(lines) ON TRUE;
-- keys: 1, compare: exact
SELECT id, l.* FROM carts LEFT JOIN UNNEST(lines) AS l (s, q) ON TRUE WHERE q IS NULL OR q > 1;
-- keys: 1, compare: final
SELECT id, k, v FROM carts CROSS JOIN UNNEST(prices) AS p (k, v);
-- keys: 1, compare: exact
SELECT id, x, y FROM carts CROSS JOIN UNNEST(grid) AS g (x) LEFT JOIN UNNEST(x) AS h (y) ON TRUE;
-- keys: 1, compare: exact
SELECT id, s FROM carts JOIN UNNEST(carts.box.sizes) AS b (s) ON s > 0;
-- keys: 1, compare: exact
SELECT id, e FROM visits CROSS JOIN UNNEST(ARRAY[score, score * 10]) AS u (e);
-- keys: 1, compare: exact
SELECT id, e FROM visits LEFT JOIN UNNEST(ARRAY[score, id]) AS u (e) ON TRUE WHERE e > score;
-- keys: 1, compare: final
SELECT team, p FROM (SELECT team, COLLECT(page) AS pages FROM visits GROUP BY team) CROSS JOIN UNNEST(pages) AS u (p);
-- keys: 1, compare: final
SELECT s, COUNT(*), COUNT(DISTINCT team) FROM (SELECT team, ARRAY_AGG(score) AS scores FROM visits GROUP BY team) CROSS JOIN UNNEST(scores) AS u (s) GROUP BY s;
-- keys: 1, compare: final
SELECT v.id, t FROM visits AS v JOIN carts AS c ON v.id = c.id CROSS JOIN UNNEST(c.tags) AS u (t) WHERE v.score > 1 AND t IS NOT NULL;
-- keys: 0, compare: final
SELECT a, b, n FROM UNNEST(ARRAY[ROW(1, 'x'), ROW(2, CAST(NULL AS STRING))]) WITH ORDINALITY AS u (a, b, n);
-- keys: 0, compare: final
SELECT id, w FROM visits CROSS JOIN UNNEST(ARRAY['p', 'q']) AS u (w);
-- keys: 1, compare: exact
SELECT id, w FROM carts CROSS JOIN UNNEST(SPLIT(CONCAT_WS(',', CAST(id AS STRING), tags[1]), ',')) AS u (w);
