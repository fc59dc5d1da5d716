-- Nexmark query 6. Average price of a seller's last ten auctions. Flink and Firesteel refuse it: an OVER window takes no retractions.
CREATE TABLE nexmark_q6 (
  seller BIGINT, price BIGINT
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q6
SELECT seller, AVG(price) OVER (PARTITION BY seller ORDER BY `dateTime` ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)
FROM (
  SELECT *
  FROM (
    SELECT a.id, a.seller, b.price, b.`dateTime`, ROW_NUMBER() OVER (PARTITION BY a.id, a.seller ORDER BY b.price DESC) AS rownum
    FROM auction AS a
    JOIN bid AS b ON a.id = b.auction AND b.`dateTime` BETWEEN a.`dateTime` AND a.expires
  )
  WHERE rownum <= 1
);
