"""Inputs of a session in the shell: keys, and what is shown for them. None of these starts a job."""

from __future__ import annotations

from tests.cli.shell.typed_session import PROMPT, Step

ENTER, TAB, CTRL_C, CTRL_D, CTRL_R, UP = "\r", "\t", "\x03", "\x04", "\x12", "\x1b[A"
OK = "[INFO] Execute statement succeeded."
UNDERLINED = "^^^^^^^"
_GENERATED = "WITH ('connector' = 'datagen', 'rows-per-second' = '20');"
_PASTED = "".join(
    f"CREATE TEMPORARY VIEW v{n} AS\n  SELECT {n} AS a, 'x;y' AS b -- a comment; with a semicolon\n;\n"
    for n in range(100)
)
ON_40_COLUMNS: tuple[Step, ...] = (
    (CTRL_C, PROMPT),  # at an empty line
    (f"SELECT 1{CTRL_C}", PROMPT),  # while something is typed
    (f"SELECT 1,{ENTER}2{CTRL_C}", PROMPT),
    # Ctrl-C leaves the search. If all keys are read at once, nothing is drawn anew before the second one.
    (f"{CTRL_R}abc{CTRL_C}{CTRL_C}help{ENTER}", "Tab completes"),
    (f"help{ENTER}", "      define what queries read and write\r\n"),
    (f"help upper{ENTER}", "UPPER(CHARACTER)"),
    (f"help table.exec.state.ttl{ENTER}", "Duration, 0 ms"),
    (f"help nothing{ENTER}", "there is no help about 'nothing'"),
    (f"help savepoint{ENTER}", "Copy a checkpoint"),
    (f"CREATE TABLE orders (name STRING, amount INT){ENTER}WITH ('connector' = 'blackhole');{ENTER}", OK),
    (f"CREATE TABLE g (name STRING, a INT) {_GENERATED}{ENTER}", OK),
    (f"CREATE TABLE gone (a INT) {_GENERATED}{ENTER}", OK),
    (f"DROP TABLE gone;{ENTER}", OK),
    (f"SHOW{ENTER}TABLES{ENTER};{ENTER}", "|     orders |"),
    (f"DESCRIBE orders;{ENTER}", "amount"),
    (f"SHOW VIEWS;{ENTER}", "Empty set"),
    (f"{CTRL_R}DESC{ENTER}{ENTER}", "amount"),
    (f"{UP}{UP}{ENTER}", "Empty set"),
    (
        f"SELECT nothing FROM g;{ENTER}",
        f"    1 | SELECT nothing FROM g;\r\n               {UNDERLINED}",
    ),
    (f"SELECT amount{ENTER}FROM nowhere;{ENTER}", f"    2 | FROM nowhere;\r\n             {UNDERLINED}"),
    (f"SELEC 1;{ENTER}", "error: unknown statement"),
    (f"STOP JOB 'x';{ENTER}", "Job x does not exist"),
    (f"SHOW RESULT 9;{ENTER}", "No query with the id 9"),
    (f"SHOW RESULT{ENTER}", "SHOW RESULT is incomplete"),
    (f"SHOW TABLES &{ENTER}", "error: only a query"),
    (f"WHY SELECT * FROM orders WHERE name = 'a';{ENTER}", "error: no job of this shell"),
    (f"SET;{ENTER}", "Empty set"),
    (f"SET 'table.exec.state.ttl' = '1 h';{ENTER}", OK),
    (f"SET;{ENTER}", "table.exec.state.ttl"),
    (f"SET 'table.exec.state.ttl' = 'soon';{ENTER}", "error: "),
    (f"RESET;{ENTER}", OK),
    (f"EXPLAIN SELECT name FROM orders;{ENTER}", "error: "),
    (f"EXPLAIN SELECT a FROM g;{ENTER}", "Optimized Execution Plan"),
    (f"\x1b[200~{_PASTED}\x1b[201~{ENTER}", OK),
    (f"SHOW VIEWS;{ENTER}", "100 rows in set"),
    (f"\\timing{ENTER}", "Timing is on."),
    (f"SHOW CATALOGS;{ENTER}", "Time: "),
    (f"\\timing off{ENTER}", "Timing is off."),
    (f"SOURCE nowhere.sql{ENTER}", "cannot read nowhere.sql"),
    (f"SOURCE{ENTER}", "SOURCE is incomplete"),
    (f"SOURCE own.sql;{ENTER}", "Job y does not exist. (line 3, column 10)"),
    (f"DESCRIBE sourced;{ENTER}", "from_file"),
    (f"INSERT INTO orders SELECT 'a', b FROM sourced;{ENTER}", "error: "),
)
OWN_FILE = """\
CREATE TABLE sourced (from_file INT) WITH ('connector' = 'blackhole');

STOP JOB 'y';
SHOW TABLES;
"""
COMPLETED: tuple[tuple[Step, ...], ...] = (
    (("SHOW CATAL", "CATALOGS"), (CTRL_C, PROMPT)),  # in the menu
    (("SHOW CATAL", "CATALOGS"), (f"{TAB};{ENTER}", "default_catalog")),
    (("DESCRIBE ord", "table"), (f"{TAB};{ENTER}", "amount")),
    (("EXPLAIN SELECT * FROM g WHERE na", "STRING"), (f"{TAB} = 'a';{ENTER}", "where=[=(name, ")),
    (
        ("EXPLAIN SELECT SUBSTRI", "(CHARACTER, INTEGER)"),
        (f"{TAB}(name, 2) FROM g;{ENTER}", "SUBSTRING(name, 2)"),
    ),
    (
        ("CREATE TABLE completed (a INT) WITH ('conn", "String, required: Where the table's rows"),
        (f"{TAB} = 'black", "blackhole'"),
        (f"{TAB});{ENTER}", OK),
    ),
    (("SET 'table.exec.mini-batch.si", "Long, -1: "), (f"{TAB} = '100';{ENTER}", OK)),
    (("SET 'sql-client.execution.result-mode' = 'CH", "CHANGELOG'"), (f"{TAB};{ENTER}", OK)),
    (("RESET 'table.exec.mini-batch.si", "Long, -1: "), (f"{TAB};{ENTER}", OK)),
)
"""Completion on a wide terminal: the menu shows what each word is, and Tab takes its first word."""
