SET 'table.optimizer.distinct-agg.split.enabled' = 'true';
CREATE TABLE n (id INT, k STRING NOT NULL, i INT NOT NULL, l BIGINT NOT NULL, ti TINYINT NOT NULL, si SMALLINT NOT NULL, d DOUBLE NOT NULL, f FLOAT NOT NULL, m DECIMAL(10, 2) NOT NULL, s STRING NOT NULL, b BOOLEAN NOT NULL, dt DATE NOT NULL, ts TIMESTAMP(3) NOT NULL, x INT NOT NULL) WITH ('connector' = 'filesystem', 'path' = '${DATA}/t.json', 'format' = 'json');
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), SUM(l), MIN(l), MAX(l), AVG(l) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), SUM(d), MIN(d), MAX(d), AVG(d) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), SUM(f), MIN(f), MAX(f), AVG(f), SUM(ti), MIN(si) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), SUM(DISTINCT i), MIN(i), MAX(l) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), SUM(i) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), MIN(i) FROM n GROUP BY k;
-- keys: 0, compare: exact
SELECT COUNT(DISTINCT x), SUM(i), MIN(i), FIRST_VALUE(i), LAST_VALUE(s) FROM n;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), MIN(s), MAX(s), MIN(b), MAX(dt) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), MIN(i) + 1, MIN(s) || 'a' FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x) FROM n GROUP BY k HAVING MIN(i) < 0;
-- keys: 1, compare: exact
SELECT m, COUNT(*) FROM (SELECT k, COUNT(DISTINCT x), MIN(i) m FROM n GROUP BY k) GROUP BY m;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), AVG(l), AVG(ti), AVG(si) FROM n GROUP BY k;
-- keys: 1, compare: exact
SELECT k, COUNT(DISTINCT x), AVG(i) FROM n GROUP BY k;
