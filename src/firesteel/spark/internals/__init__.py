"""Uses of private parts of Spark, pyspark and py4j, one topic a file.

tests/spark/internals checks each use; `make test-spark-versions` runs these tests on the oldest and on the
newest supported pyspark. Private parts that only the start of Spark needs are used in spark/launch.
"""
