-- table1 lives in MySQL, where rows come, change and go. Canal reads the binlog and writes each
-- change as one JSON message; table1.json holds six of them.
CREATE TABLE table1 (
  id BIGINT,
  name STRING,
  cnt INT,
  PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = '${DATA}/table1.json',
  'format' = 'canal-json'
);

-- Who sends and needs which kind of change: I, UB, UA, D.
EXPLAIN CHANGELOG_MODE SELECT name, SUM(cnt), MAX(cnt) FROM table1 GROUP BY name;

-- The answer, kept right change by change.
SELECT name, SUM(cnt), MAX(cnt) FROM table1 GROUP BY name;
