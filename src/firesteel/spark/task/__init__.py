"""Tasks of Spark for both hosts: chains of operators, messages in and packets out."""
