-- Nexmark query 3. Local items: sellers in OR, ID or CA with an auction of category 10. A join whose two sides are kept.
CREATE TABLE nexmark_q3 (
  name STRING, city STRING, state STRING, id BIGINT
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q3
SELECT p.name, p.city, p.state, a.id
FROM auction AS a
JOIN person AS p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
