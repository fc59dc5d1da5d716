-- CHAR(3)
CREATE TABLE t0 (c CHAR(3)) WITH ('connector' = 'print');
-- VARCHAR(3)
CREATE TABLE t1 (c VARCHAR(3)) WITH ('connector' = 'print');
-- STRING
CREATE TABLE t2 (c STRING) WITH ('connector' = 'print');
-- BOOLEAN
CREATE TABLE t3 (c BOOLEAN) WITH ('connector' = 'print');
-- BINARY(3)
CREATE TABLE t4 (c BINARY(3)) WITH ('connector' = 'print');
-- VARBINARY(3)
CREATE TABLE t5 (c VARBINARY(3)) WITH ('connector' = 'print');
-- BYTES
CREATE TABLE t6 (c BYTES) WITH ('connector' = 'print');
-- DECIMAL(10, 2)
CREATE TABLE t7 (c DECIMAL(10, 2)) WITH ('connector' = 'print');
-- TINYINT
CREATE TABLE t8 (c TINYINT) WITH ('connector' = 'print');
-- SMALLINT
CREATE TABLE t9 (c SMALLINT) WITH ('connector' = 'print');
-- INT
CREATE TABLE t10 (c INT) WITH ('connector' = 'print');
-- BIGINT
CREATE TABLE t11 (c BIGINT) WITH ('connector' = 'print');
-- FLOAT
CREATE TABLE t12 (c FLOAT) WITH ('connector' = 'print');
-- DOUBLE
CREATE TABLE t13 (c DOUBLE) WITH ('connector' = 'print');
-- DATE
CREATE TABLE t14 (c DATE) WITH ('connector' = 'print');
-- TIME
CREATE TABLE t15 (c TIME) WITH ('connector' = 'print');
-- TIMESTAMP(3)
CREATE TABLE t16 (c TIMESTAMP(3)) WITH ('connector' = 'print');
-- TIMESTAMP(9)
CREATE TABLE t17 (c TIMESTAMP(9)) WITH ('connector' = 'print');
-- TIMESTAMP_LTZ(3)
CREATE TABLE t18 (c TIMESTAMP_LTZ(3)) WITH ('connector' = 'print');
-- TIMESTAMP(3) WITH TIME ZONE
CREATE TABLE t19 (c TIMESTAMP(3) WITH TIME ZONE) WITH ('connector' = 'print');
-- INTERVAL YEAR TO MONTH
CREATE TABLE t20 (c INTERVAL YEAR TO MONTH) WITH ('connector' = 'print');
-- INTERVAL DAY TO SECOND
CREATE TABLE t21 (c INTERVAL DAY TO SECOND) WITH ('connector' = 'print');
-- ARRAY<INT>
CREATE TABLE t22 (c ARRAY<INT>) WITH ('connector' = 'print');
-- MAP<STRING, INT>
CREATE TABLE t23 (c MAP<STRING, INT>) WITH ('connector' = 'print');
-- MULTISET<STRING>
CREATE TABLE t24 (c MULTISET<STRING>) WITH ('connector' = 'print');
-- ROW<a INT, b STRING>
CREATE TABLE t25 (c ROW<a INT, b STRING>) WITH ('connector' = 'print');
-- VARIANT
CREATE TABLE t26 (c VARIANT) WITH ('connector' = 'print');
-- BITMAP
CREATE TABLE t27 (c BITMAP) WITH ('connector' = 'print');
-- DESCRIPTOR
CREATE TABLE t28 (c DESCRIPTOR) WITH ('connector' = 'print');
-- RAW('java.lang.String', 'x')
CREATE TABLE t29 (c RAW('java.lang.String', 'x')) WITH ('connector' = 'print');
-- STRUCTURED<'a.B', x INT>
CREATE TABLE t30 (c STRUCTURED<'a.B', x INT>) WITH ('connector' = 'print');
