"""Coverage of tests: the branches of a query that no test takes."""
