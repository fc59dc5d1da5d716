"""What Firesteel touches of Spark, pyspark and py4j that these do not promise, one thought a file.

tests/spark/internals says of each what breaks without it; `make test-spark-versions` runs those tests on the
oldest and on the newest pyspark that is supported. What of it starts Spark is in spark/start.
"""
