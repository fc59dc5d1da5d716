CREATE TABLE l (id BIGINT, k INT, g STRING, v INT, nn INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/l.json', 'format' = 'canal-json');
CREATE TABLE r (id BIGINT, k INT, g STRING, v INT, nn INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/r.json', 'format' = 'canal-json');
CREATE TABLE c (id BIGINT, k INT, g STRING, v INT, nn INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'filesystem', 'path' = 'unread/c.json', 'format' = 'canal-json');
CREATE TABLE kept (id BIGINT, v INT, w INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print');
