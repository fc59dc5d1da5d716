CREATE TABLE o (id BIGINT, k INT, k2 STRING, v DOUBLE, n INT, dc DECIMAL(10, 2), ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) WITH ('connector' = 'filesystem', 'path' = '/d/o.json', 'format' = 'json');

CREATE TABLE op (id BIGINT, k INT, k2 STRING, pt AS PROCTIME(), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '/d/o.json', 'format' = 'json');

CREATE TABLE c (id BIGINT, k INT, k2 STRING, v DOUBLE, pt AS PROCTIME(), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '/d/c.json', 'format' = 'canal-json');

CREATE TABLE dim (id INT, name STRING, age INT, city STRING, a INT, b INT, w DECIMAL(10, 2)) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'dim');

CREATE TABLE pdim (id INT, name STRING, age INT, city STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'dim');

CREATE TABLE cdim (id INT, name STRING, age INT, older AS age + 1, low AS LOWER(name)) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'dim');

CREATE TABLE fdim (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '/d/f.json', 'format' = 'json');

CREATE TABLE sk (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'sk');

CREATE TABLE sn (id BIGINT, name STRING) WITH ('connector' = 'filesystem', 'path' = '/d/out', 'format' = 'canal-json');
