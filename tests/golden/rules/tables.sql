CREATE TABLE o (id BIGINT NOT NULL, k STRING, p STRING, q INT, m DECIMAL(10, 2), w DOUBLE, f BOOLEAN, d DATE, s VARCHAR(20), b BIGINT, ti TINYINT, ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = 'unread/o.json', 'format' = 'json');
CREATE TABLE c (id BIGINT, k STRING, p STRING, q INT, m DECIMAL(10, 2), w DOUBLE, f BOOLEAN, d DATE, s VARCHAR(20), b BIGINT, ti TINYINT, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/o.json', 'format' = 'canal-json');
CREATE TABLE wt (id BIGINT, k STRING, q INT, f BOOLEAN, w DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'filesystem', 'path' = 'unread/o.json', 'format' = 'json');
CREATE TABLE pr (k STRING, n BIGINT) WITH ('connector' = 'print');
CREATE TABLE prt (k STRING, ts TIMESTAMP(3)) WITH ('connector' = 'print');
CREATE TABLE bh (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'blackhole');
CREATE TABLE bh2 (k STRING, n BIGINT) WITH ('connector' = 'blackhole');
CREATE TABLE two (a INT, k STRING) WITH ('connector' = 'filesystem', 'path' = 'unread/o.json', 'format' = 'json');
CREATE TABLE ups (k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert');
CREATE TABLE fj (k STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'unread/oj', 'format' = 'json');
CREATE TABLE fc (k STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'unread/oc', 'format' = 'canal-json');
CREATE TABLE by_n (k STRING, n BIGINT, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'upsert');
CREATE TABLE visits (vid BIGINT NOT NULL, host STRING, city STRING, ms INT, fee DECIMAL(12, 4), load DOUBLE, secure BOOLEAN, day_on DATE, tag VARCHAR(8), lvl SMALLINT, at_ts TIMESTAMP(3)) WITH ('connector' = 'filesystem', 'path' = 'unread/visits.json', 'format' = 'json');
CREATE TABLE acc (aid BIGINT, owner STRING, branch STRING, bal DECIMAL(14, 2), opened DATE, vip BOOLEAN, n INT, PRIMARY KEY (aid) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/acc.json', 'format' = 'canal-json');
CREATE TABLE ty (bo BOOLEAN, ti TINYINT, sm SMALLINT, ii INT, bi BIGINT, fl FLOAT, dd DOUBLE, d5 DECIMAL(5,2), d9 DECIMAL(9,2), d0 DECIMAL(10,0), dt DATE, tm TIME, ts TIMESTAMP(3), ts6 TIMESTAMP(6), c3 CHAR(3), v3 VARCHAR(3), v9 VARCHAR(9), st STRING, byt BYTES, b3 BINARY(3)) WITH ('connector'='filesystem','path'='unread/ty.json','format'='json');

CREATE TABLE mixed (id INT, k STRING, v INT, b BIGINT, d DOUBLE, e DECIMAL(10,2), f FLOAT, s SMALLINT, ok BOOLEAN, ts TIMESTAMP(3), nn INT NOT NULL) WITH ('connector'='filesystem','path'='/tmp/mixed','format'='json');
