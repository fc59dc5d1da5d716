"""Random scalar expressions, held against what Flink answered for them.

A family of functions is one file in `families/`: a `FAMILY` with its table and how an expression
is drawn. Then
    /path/to/flink/python -m tests.properties.expressions.record strings --seed 1 --count 2000 --out s.json
asks Flink (a Python with apache-flink 2.3), and
    python -m tests.properties.expressions.check s.json [--sample 150]
prints where Firesteel differs; with --sample it writes some of the answers to `samples/`, which
test_samples.py holds. The samples named `..._asked` are expressions chosen to find a rule (record.py
--only), not drawn.
"""
