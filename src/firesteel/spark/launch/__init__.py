"""Start of Spark: its JVM, its context, and its Python workers."""
