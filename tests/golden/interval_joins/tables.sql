CREATE TABLE l (id INT, k STRING, v INT, ts TIMESTAMP(3), b BIGINT, lz AS CAST(ts AS TIMESTAMP_LTZ(3)), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE r (id INT, k STRING, v INT, ts TIMESTAMP(3), b BIGINT, pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE z (id INT, k STRING, v INT, e BIGINT, ts AS TO_TIMESTAMP_LTZ(e, 3), pt AS PROCTIME(), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'canal-json');
CREATE TABLE n (id INT, k STRING, v INT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE pk (id INT, k STRING, v INT, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json');
CREATE TABLE s1 (id INT PRIMARY KEY NOT ENFORCED, id2 INT, ts TIMESTAMP(3)) WITH ('connector' = 'print');
CREATE TABLE s2 (id INT, id2 INT, PRIMARY KEY (id, id2) NOT ENFORCED) WITH ('connector' = 'print');
