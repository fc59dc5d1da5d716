-- Nexmark query 10. Log to files: all bids in folders by day and minute. OUT: the folder.
CREATE TABLE nexmark_q10 (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING, dt STRING, hm STRING
) PARTITIONED BY (dt, hm) WITH ('connector' = 'filesystem', 'path' = '${OUT}', 'format' = 'csv');

INSERT INTO nexmark_q10
SELECT auction, bidder, price, `dateTime`, extra, DATE_FORMAT(`dateTime`, 'yyyy-MM-dd') AS dt, DATE_FORMAT(`dateTime`, 'HH:mm') AS hm
FROM bid;
