-- Nexmark query 11. User sessions: bids of a person until 10 seconds pass without one.
CREATE TABLE nexmark_q11 (
  bidder BIGINT, bid_count BIGINT, starttime TIMESTAMP(3), endtime TIMESTAMP(3)
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q11
SELECT bidder, COUNT(*) AS bid_count,
  SESSION_START(`dateTime`, INTERVAL '10' SECOND) AS starttime, SESSION_END(`dateTime`, INTERVAL '10' SECOND) AS endtime
FROM bid
GROUP BY bidder, SESSION(`dateTime`, INTERVAL '10' SECOND);
