-- Nexmark query 5. Hot items: the auctions with most bids in 10 seconds, every 2 seconds. A join of two aggregated windows.
CREATE TABLE nexmark_q5 (
  auction BIGINT, num BIGINT
) WITH ('connector' = '${SINK}');

INSERT INTO nexmark_q5
SELECT items.auction, items.num
FROM (
  SELECT auction, COUNT(*) AS num, window_start AS starttime, window_end AS endtime
  FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
  GROUP BY auction, window_start, window_end
) AS items
JOIN (
  SELECT MAX(num) AS maxn, starttime, endtime
  FROM (
    SELECT COUNT(*) AS num, window_start AS starttime, window_end AS endtime
    FROM TABLE(HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND))
    GROUP BY auction, window_start, window_end
  )
  GROUP BY starttime, endtime
) AS most
ON items.starttime = most.starttime AND items.endtime = most.endtime AND items.num >= most.maxn;
