CREATE TABLE custs (cust INT, name STRING, city STRING, tier INT) WITH ('connector' = 'filesystem', 'path' = 'unread/custs.json', 'format' = 'canal-json');
CREATE TABLE orders (oid BIGINT, cust INT, item STRING, qty INT, price DECIMAL(8, 2), note STRING) WITH ('connector' = 'filesystem', 'path' = 'unread/orders.json', 'format' = 'canal-json');
CREATE TABLE evts (id INT, grp STRING, v INT, s STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/evts.json', 'format' = 'canal-json');
CREATE TABLE nn (a INT NOT NULL, b BIGINT NOT NULL, c STRING NOT NULL, f DOUBLE, r ROW<x INT, y STRING>, m MAP<STRING, INT>, ar ARRAY<INT>) WITH ('connector' = 'filesystem', 'path' = 'unread/nn.json', 'format' = 'json');
