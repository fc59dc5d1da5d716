-- Nexmark query 4. Average price of a category: the mean of the highest bids of its auctions. A join below two aggregates.
CREATE TABLE nexmark_q4 (
  category BIGINT, final BIGINT
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q4
SELECT category, AVG(final) AS final
FROM (
  SELECT a.id, a.category, MAX(b.price) AS final
  FROM auction AS a
  JOIN bid AS b ON a.id = b.auction AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires
  GROUP BY a.id, a.category
)
GROUP BY category;
