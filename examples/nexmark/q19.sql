-- Nexmark query 19. The ten highest bids of each auction. A Top-N whose result has the rank.
CREATE TABLE nexmark_q19 (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING, rank_number BIGINT
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q19
SELECT *
FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid)
WHERE rank_number <= 10;
