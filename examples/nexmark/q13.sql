-- Nexmark query 13. Side input: the value that a file has for the auction's number. DATA: the folder of side_input.csv.
-- The published query is a lookup join, which Flink refuses over files, so this one is a join.
CREATE TABLE side_input (key BIGINT, `value` STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/side_input.csv', 'format' = 'csv');

CREATE TABLE nexmark_q13 (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), `value` STRING
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q13
SELECT b.auction, b.bidder, b.price, b.`dateTime`, s.`value`
FROM bid AS b
JOIN side_input AS s ON MOD(b.auction, 10000) = s.key;
