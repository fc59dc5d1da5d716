-- Tables that the features of each group read and write.
CREATE TABLE orders (id BIGINT, k STRING, v INT, price DECIMAL(10, 2), amount DOUBLE, ts TIMESTAMP(3), pt AS PROCTIME(),
  items ARRAY<INT>, tags MAP<STRING, STRING>, buyer ROW<name STRING, age INT>, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'filesystem', 'path' = '/data/orders.json', 'format' = 'json');
CREATE TABLE payments (id BIGINT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/data/payments.json', 'format' = 'json');
CREATE TABLE customers (id BIGINT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '/data/customers.json', 'format' = 'canal-json');
CREATE TABLE rates (k STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '/data/rates.json', 'format' = 'canal-json');
CREATE TABLE lines (k STRING, v INT) WITH ('connector' = 'blackhole');
CREATE TABLE totals (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'blackhole');
CREATE TABLE dimension (k STRING, v INT) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:/data/d.db', 'table-name' = 'd');
