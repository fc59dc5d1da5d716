CREATE TABLE l (id INT, k STRING, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '20' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/l.json', 'format' = 'json');
CREATE TABLE r (id INT, k STRING, v INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '20' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/r.json', 'format' = 'json');
CREATE TABLE m (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '20' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/m.json', 'format' = 'json');
CREATE TABLE t (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/l.json', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/c.json', 'format' = 'canal-json');
CREATE TABLE dim (k STRING, name STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/dim.json', 'format' = 'canal-json');
CREATE TABLE z (id INT, k STRING, v INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/z.json', 'format' = 'json');
