CREATE TABLE scores (id INT, team STRING, v INT, note STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '${DATA}/scores.json', 'format' = 'canal-json');
CREATE TABLE points (k STRING, v INT, x DOUBLE, d DECIMAL(8, 2), s STRING, n INT) WITH ('connector' = 'filesystem', 'path' = '${DATA}/points.json', 'format' = 'json');
-- keys: 1, compare: exact
SELECT team, id, v, ROW_NUMBER() OVER (PARTITION BY team ORDER BY v) AS rn FROM scores;
-- keys: 1, compare: exact
SELECT team, id, v, SUM(v) OVER w AS total, COUNT(*) OVER w AS n FROM scores WINDOW w AS (PARTITION BY team ORDER BY v);
-- keys: 1, compare: exact
SELECT team, id, v, SUM(v) OVER w AS total, COUNT(v) OVER w AS n FROM scores WINDOW w AS (PARTITION BY team ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
-- keys: 1, compare: exact
SELECT team, id, AVG(v) OVER w AS a FROM scores WINDOW w AS (PARTITION BY team ORDER BY id);
-- keys: 1, compare: exact
SELECT k, n, v, SUM(v) OVER w AS total, MAX(d) OVER w AS most FROM points WINDOW w AS (PARTITION BY k ORDER BY s);
-- keys: 1, compare: exact
SELECT k, n, RANK() OVER w AS r, DENSE_RANK() OVER w AS dr, COUNT(*) OVER w AS c FROM points WINDOW w AS (PARTITION BY k ORDER BY v);
-- keys: 1, compare: exact
SELECT k, n, LAG(n) OVER w AS before FROM points WINDOW w AS (PARTITION BY k ORDER BY n);
-- keys: 1, compare: final
SELECT k, n, FIRST_VALUE(n) OVER w AS f, LAST_VALUE(n) OVER w AS l FROM points WINDOW w AS (PARTITION BY k ORDER BY x);
-- keys: 1, compare: exact
SELECT team, id, v + 1 AS w, SUM(v + 1) OVER (PARTITION BY team ORDER BY v * 2) AS total FROM scores;
