CREATE TABLE clicks (uid BIGINT, page STRING, region STRING, cost INT, price DECIMAL(8, 3), ok BOOLEAN, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/clicks.json', 'format' = 'json');
CREATE TABLE taps (uid BIGINT, page STRING, region STRING, cost INT, price DECIMAL(8, 3), ok BOOLEAN, ts TIMESTAMP(3), pt AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = 'unread/taps.json', 'format' = 'json');
CREATE TABLE changes (uid BIGINT, page STRING, cost INT, ts TIMESTAMP(3), PRIMARY KEY (uid) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = 'unread/changes.json', 'format' = 'canal-json');
CREATE TABLE bth (k STRING, v INT, txt STRING, ts AS TO_TIMESTAMP(txt), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/bth.json', 'format' = 'json');
CREATE TABLE ltz (k STRING, v INT, ms BIGINT, t AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR t AS t) WITH ('connector' = 'filesystem', 'path' = 'unread/ltz.json', 'format' = 'json');
CREATE TABLE plain (uid BIGINT, page STRING, cost INT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = 'unread/plain.json', 'format' = 'json');
CREATE TABLE snk (page STRING, ws TIMESTAMP(3), we TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');
