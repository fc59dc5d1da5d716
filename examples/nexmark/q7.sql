-- Nexmark query 7. Highest bids of every 10 seconds. A join bounded by time with a window's result.
CREATE TABLE nexmark_q7 (
  auction BIGINT, price BIGINT, bidder BIGINT, `dateTime` TIMESTAMP(3), extra STRING
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q7
SELECT b.auction, b.price, b.bidder, b.`dateTime`, b.extra
FROM bid AS b
JOIN (
  SELECT MAX(price) AS maxprice, window_end AS `dateTime`
  FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND))
  GROUP BY window_start, window_end
) AS top ON b.price = top.maxprice
WHERE b.`dateTime` BETWEEN top.`dateTime` - INTERVAL '10' SECOND AND top.`dateTime`;
