CREATE TABLE o (id BIGINT, k INT, k2 STRING, v DOUBLE, pt AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = '/d/o.json', 'format' = 'json');

CREATE TABLE c (id BIGINT, k INT, k2 STRING, v DOUBLE, pt AS PROCTIME(), PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = '/d/c.json', 'format' = 'canal-json');

CREATE TABLE dim (id INT, name STRING, age INT, city STRING) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'dim');

CREATE TABLE pdim (id INT, name STRING, age INT, city STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'dim');

CREATE TABLE sk (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://localhost:5999/db', 'table-name' = 'sk');

CREATE TABLE sn (id BIGINT, name STRING) WITH ('connector' = 'filesystem', 'path' = '/d/out', 'format' = 'canal-json');
