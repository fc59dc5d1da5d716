-- Nexmark query 0. Pass through: the price of a source and a sink.
CREATE TABLE nexmark_q0 (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q0
SELECT auction, bidder, price, `dateTime`, extra FROM bid;
