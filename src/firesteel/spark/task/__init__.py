"""Tasks of Spark, for both hosts: they run chains of operators, and send the results as packets."""
