-- Nexmark query 23. Bids of persons who sell, with the person and the auctions. A join of three inputs.
CREATE TABLE nexmark_q23 (
  bidder BIGINT, price BIGINT, channel STRING, url STRING, bid_extra STRING,
  person_id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, person_extra STRING,
  itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, auction_dateTime TIMESTAMP(3),
  expires TIMESTAMP(3), seller BIGINT, category BIGINT, auction_extra STRING
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q23
SELECT b.bidder, b.price, b.channel, b.url, b.extra AS bid_extra,
  p.id AS person_id, p.name, p.emailAddress, p.creditCard, p.city, p.state, p.extra AS person_extra,
  a.itemName, a.description, a.initialBid, a.reserve, a.`dateTime` AS auction_dateTime,
  a.expires, a.seller, a.category, a.extra AS auction_extra
FROM bid AS b
JOIN person AS p ON p.id = b.bidder
JOIN auction AS a ON a.seller = b.bidder;
