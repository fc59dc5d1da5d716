"""Keywords for completion, by their position in a statement."""

from __future__ import annotations


def _words(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((word.strip(), "") for word in text.split(","))


STATEMENTS = (
    *_words(
        "SELECT, INSERT INTO, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY VIEW, WITH, EXPLAIN, SHOW TABLES, "
        "SHOW, DESCRIBE, DROP, ALTER TABLE, SET, RESET, USE, VALUES, EXECUTE STATEMENT SET BEGIN, SHOW JOBS, "
        "STOP JOB"
    ),
    ("HELP", "show a page of the documentation"),
    ("SOURCE", "run a file"),
    ("SHOW RESULT", "the result of a background job"),
    ("WHY", "how a row of a job's result came to be"),
    ("CLEAR", "clear the screen"),
    ("QUIT", "leave the shell"),
)
DETAILS = ("CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE", "ESTIMATED_COST")
"""Details of EXPLAIN. They stand before the query."""
FOLLOWING: dict[str, tuple[str, ...]] = {
    "SHOW": (
        *("TABLES", "VIEWS", "FUNCTIONS", "USER FUNCTIONS", "CATALOGS", "DATABASES", "JOBS", "RESULT"),
        *("COLUMNS FROM", "CREATE TABLE", "CREATE VIEW", "CURRENT CATALOG", "CURRENT DATABASE", "MODULES"),
    ),
    "CREATE": ("TABLE", "TEMPORARY TABLE", "VIEW", "TEMPORARY VIEW", "FUNCTION", "DATABASE", "CATALOG"),
    "DROP": ("TABLE", "VIEW", "TEMPORARY TABLE", "TEMPORARY VIEW", "FUNCTION", "DATABASE", "CATALOG"),
    "ALTER": ("TABLE", "VIEW", "DATABASE"),
    "EXPLAIN": ("SELECT", "INSERT INTO", *DETAILS),
    "INSERT": ("INTO",),
    "USE": ("CATALOG",),
    "STOP": ("JOB",),
    "WHY": ("SELECT * FROM", "JOB", "CHECKPOINT"),
    "EXECUTE": ("STATEMENT SET BEGIN",),
}
"""First words of statements, each with the keywords that may follow it."""
IN_WHY = _words("SELECT * FROM, WHERE, AT, LIMIT")
"""Keywords that may follow `WHY SELECT * FROM`, `WHY JOB` or `WHY CHECKPOINT` (a statement of the shell)."""
BEFORE_TABLES = _words("TABLE(, LATERAL, UNNEST(")
BEFORE_OPERANDS = _words(
    "DISTINCT, CASE WHEN, CAST(, NOT, NULL, TRUE, FALSE, EXISTS, INTERVAL, TIMESTAMP, DATE, ARRAY, "
    "MAP, ROW, *"
)
BEHIND_OPERANDS = _words(
    "FROM, AS, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, JOIN, LEFT JOIN, INNER JOIN, FULL JOIN, CROSS JOIN, "
    "ON, AND, OR, IN, IS NULL, IS NOT NULL, BETWEEN, LIKE, UNION ALL, UNION, INTERSECT, EXCEPT, OVER, "
    "FILTER, PARTITION BY, DESC, ASC, THEN, ELSE, END, FOR SYSTEM_TIME AS OF, QUALIFY, SELECT, VALUES, USING"
)
DEFINITIONS = _words(
    "IF NOT EXISTS, IF EXISTS, AS, WITH, LIKE, COMMENT, PRIMARY KEY, NOT ENFORCED, WATERMARK FOR, METADATA, "
    "PARTITIONED BY, INT, BIGINT, STRING, BOOLEAN, DOUBLE, FLOAT, DECIMAL, DATE, TIME, TIMESTAMP, "
    "TIMESTAMP_LTZ, ARRAY, MAP, ROW, BYTES, VARCHAR, NOT NULL, ADD, RENAME TO, MODIFY, RESET, SET, SELECT"
)
OPERATORS = frozenset(
    [
        "SELECT",
        "DISTINCT",
        "ALL",
        "FROM",
        "WHERE",
        "GROUP",
        "BY",
        "HAVING",
        "ORDER",
        "ON",
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "BETWEEN",
        "CASE",
        "WHEN",
        "THEN",
        "ELSE",
        "AS",
        "JOIN",
        "VALUES",
        "SET",
        "WITH",
        "IS",
        "OVER",
        "PARTITION",
        "LIMIT",
        "QUALIFY",
        "INTO",
        "INTERVAL",
        "USING",
    ]
)
"""Words after which an operand, such as a column, is expected. Other words count as names."""
