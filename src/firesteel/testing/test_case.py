"""Test cases as a file describes them. Rows stay YAML until the types of their columns are known."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from firesteel.testing.document import Document, Node

_FILE = ("script", "sql", "define", "set", "tests")
_STEP = ("at", "input", "expect")
_CASE = ("name", "of", "query", "set", "ends", "steps", *_STEP)
_EXPECT = ("changes", "rows")


@dataclass(frozen=True)
class Expectation:
    """The expected answer of a step.

    Attributes:
        kind: `changes` for the changes of the step, `rows` for the rows that are left after it.
        rows: The list of the expected changes or rows.
        key: The key `changes` or `rows` in the file, for the position of errors.
    """

    kind: str
    rows: Node
    key: Node


@dataclass(frozen=True)
class Step:
    """One micro-batch of a test.

    Attributes:
        node: The step in the file, for the position of errors.
        at: Processing time. None: a second after the previous step, 2026-01-01 00:00:00 in the first step.
        input: For each table, its name and the list of its rows, both as nodes of the file.
        expect: The expected answers.
    """

    node: Node
    at: Node | None = None
    input: tuple[tuple[Node, Node], ...] = ()
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True)
class Case:
    """A test.

    Attributes:
        name: Its name.
        node: The test in the file, for the position of errors.
        of: Table that the script inserts into, or view, whose changes are tested. None tests `query`, or
            else the only INSERT or query of the script.
        query: A query that is not in the script, to be tested instead of `of`; None if there is none.
        settings: Options to set, by key.
        ends: Whether the input ends after the last step.
        steps: The micro-batches.
    """

    name: str
    node: Node
    of: Node | None
    query: Node | None
    settings: dict[str, str]
    ends: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class TestFile:
    """A file of tests.

    Attributes:
        path: The file.
        document: Its text.
        script: Name of the script for errors.
        sql: Text of the script.
        folder: Folder in which modules of functions are searched.
        inline: Node of the script's text, if the file has it below the key `sql`; None if the script is a
            file of its own.
        cases: The tests.
    """

    __test__ = False

    path: Path
    document: Document
    script: str
    sql: str
    folder: Path
    inline: Node | None = None
    cases: tuple[Case, ...] = field(default=())


def read_tests(path: Path) -> TestFile:
    """Return the tests of a file.

    Raises:
        TestFileError: The file is wrong.
        UsageError: The file, or its script, cannot be read.
        ParseError: A variable of the script has no value.
    """
    from firesteel.sql.variables import substitute
    from firesteel.testing.embedded_sql import shown_in_document

    document = Document.read(path)
    root = document.root()
    members = root.members("a file of tests", _FILE)
    if ("script" in members) == ("sql" in members):
        root.fail("a file of tests needs either 'script', the path of a script, or 'sql', its text")
    if "tests" not in members:
        root.fail("a file of tests needs the key 'tests'")
    shared = _texts(members.get("set"), "set")
    defined = _texts(members.get("define"), "define")
    if "script" in members:
        file = path.parent / members["script"].text("script")
        if not file.is_file():
            members["script"].fail(f"there is no script {file}")
        name, folder, text = str(file), file.absolute().parent, Document.read(file).text
    else:
        name, folder, text = str(path), path.absolute().parent, members["sql"].text("sql")
    cases = tuple(_case(each, shared) for each in members["tests"].items("tests"))
    if not cases:
        members["tests"].fail("the file holds no test")
    _check_names(cases)
    inline = members.get("sql")
    with shown_in_document([] if inline is None else [inline]):
        text = substitute(text, defined)
    return TestFile(path, document, name, text, folder, inline, cases)


def _case(node: Node, shared: dict[str, str]) -> Case:
    members = node.members("a test", _CASE)
    if "name" not in members:
        node.fail("a test needs a name")
    if "of" in members and "query" in members:
        members["query"].fail("a test has either 'of' or 'query'")
    if "steps" in members:
        for key in _STEP:
            if key in members:
                members[key].fail(f"a test with 'steps' has '{key}' in its steps")
        steps = tuple(_step(each) for each in members["steps"].items("steps"))
    else:
        steps = (_step(node, members),)
    if not any(step.expect for step in steps):
        node.fail("a test needs 'expect', with 'changes' or 'rows'")
    return Case(
        name=members["name"].text("name"),
        node=node,
        of=members.get("of"),
        query=members.get("query"),
        settings={**shared, **_texts(members.get("set"), "set")},
        ends=_flag(members.get("ends")),
        steps=steps,
    )


def _step(node: Node, members: dict[str, Node] | None = None) -> Step:
    if members is None:
        members = node.members("a step", _STEP)
    given = members.get("input")
    expect = members.get("expect")
    expected = [] if expect is None else expect.pairs("expect")
    if expect is not None:
        expect.members("expect", _EXPECT)
    return Step(
        node,
        members.get("at"),
        () if given is None else tuple(given.pairs("input")),
        tuple(Expectation(key.text("a key"), rows, key) for key, rows in expected),
    )


def _texts(node: Node | None, what: str) -> dict[str, str]:
    pairs = [] if node is None else node.pairs(what)
    return {key.text("a key"): value.text(f"{what}.{key.value}") for key, value in pairs}


def _flag(node: Node | None) -> bool:
    if node is None:
        return True
    found = node.text("ends").lower()
    if found not in ("true", "false"):
        node.fail("ends must be true or false")
    return found == "true"


def _check_names(cases: tuple[Case, ...]) -> None:
    seen: set[str] = set()
    for case in cases:
        if case.name in seen:
            case.node.fail(f"two tests are named '{case.name}'")
        seen.add(case.name)
