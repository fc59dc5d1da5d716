"""YAML documents whose values know their position, for errors that show line and column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from firesteel.errors import SourceRange, UsageError, missing_package

_NULLS = ("", "~", "null", "Null", "NULL")


class TestFileError(UsageError):
    """A file of tests that is wrong: the error has the file, the line and the column."""

    __test__ = False


@dataclass(frozen=True)
class Node:
    """A value of a document.

    Attributes:
        document: The document.
        value: The text of a scalar, None for NULL, the nodes of a list, or the pairs of a mapping.
        range: Position of the value in the document's text. It ends after the value's last character.
        is_flow: Whether a list or a mapping is written in brackets.
    """

    document: Document
    value: str | list[Node] | list[tuple[Node, Node]] | None
    range: SourceRange
    is_flow: bool = False
    kind: str = "scalar"

    @property
    def column(self) -> int:
        """Number of characters before the value in its line."""
        return self.range.line_and_column(self.document.text)[1] - 1

    @property
    def line(self) -> int:
        return self.range.line_and_column(self.document.text)[0]

    @property
    def is_null(self) -> bool:
        return self.kind == "scalar" and self.value is None

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        """Raise a TestFileError with a message, a hint on what to do and the position of this value."""
        raise TestFileError(
            f"{self.document.name}: {message}", hint=hint, range=self.range, sql=self.document.text
        )

    def text(self, what: str) -> str:
        """Return the text of a scalar.

        Args:
            what: Words for the value in the error message, such as `a row kind`.

        Raises:
            TestFileError: The value is NULL, a list or a mapping.
        """
        if not isinstance(self.value, str):
            self.fail(f"{what} must be a text")
        return self.value

    def items(self, what: str) -> list[Node]:
        """Return the nodes of a list, [] for NULL.

        Raises TestFileError for another value. Its message names the value by the words `what`.
        """
        if self.is_null:
            return []
        if self.kind != "list":
            self.fail(f"{what} must be a list")
        return [each for each in self._children() if isinstance(each, Node)]

    def pairs(self, what: str) -> list[tuple[Node, Node]]:
        """Return the (key, value) pairs of a mapping, [] for NULL.

        Raises TestFileError for another value. Its message names the value by the words `what`.
        """
        if self.is_null:
            return []
        if self.kind != "mapping":
            self.fail(f"{what} must be a mapping (name: value)")
        return [each for each in self._children() if isinstance(each, tuple)]

    def members(self, what: str, known: Iterable[str]) -> dict[str, Node]:
        """Return the values of a mapping by key, {} for NULL.

        Args:
            what: Words for the mapping in error messages, such as `a step`.
            known: The keys that the mapping may have.

        Raises:
            TestFileError: The value is no mapping, or has another key.
        """
        names = tuple(known)
        found = {}
        for key, value in self.pairs(what):
            name = key.text("a key")
            if name not in names:
                key.fail(f"{what} has no key '{name}'", hint=f"the keys are {', '.join(names)}")
            found[name] = value
        return found

    def _children(self) -> Iterator[Node | tuple[Node, Node]]:
        if isinstance(self.value, list):
            yield from self.value


@dataclass(frozen=True, eq=False)
class Document:
    """A YAML file.

    Attributes:
        name: The path as given, for errors.
        text: The text of the file.
    """

    name: str
    text: str

    @classmethod
    def read(cls, path: Path) -> Document:
        """Return the document in a file. Raises UsageError if it cannot be read."""
        try:
            return cls(str(path), path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}") from None

    def root(self) -> Node:
        """Return the document's value.

        Raises:
            TestFileError: The text is not YAML, has a key twice, or is empty.
        """
        try:
            import yaml
        except ImportError:
            raise missing_package("A file of tests", "PyYAML", "test") from None
        try:
            found = yaml.compose(self.text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = len(self.text) if mark is None else mark.index
            place = SourceRange(at, at + 1)
            message = f"{self.name}: not YAML: {error.problem or error.context}"
            raise TestFileError(message, range=place, sql=self.text) from None
        except yaml.YAMLError as error:
            raise TestFileError(f"{self.name}: not YAML: {error}") from None
        if found is None:
            raise TestFileError(f"{self.name} holds no tests")
        return self._node(found)

    def _node(self, found: Any) -> Node:
        import yaml

        start, end = found.start_mark.index, found.end_mark.index
        if isinstance(found, yaml.ScalarNode):
            is_null = found.style is None and found.value in _NULLS
            return Node(self, None if is_null else str(found.value), SourceRange(start, end))
        is_flow = bool(found.flow_style)
        if isinstance(found, yaml.SequenceNode):
            items = [self._node(each) for each in found.value]
            last = items[-1].range.end if items else end
            return Node(self, items, SourceRange(start, end if is_flow else last), is_flow, "list")
        pairs = [(self._node(key), self._node(value)) for key, value in found.value]
        seen: set[object] = set()
        for key, _ in pairs:
            if isinstance(key.value, str) and key.value in seen:
                key.fail(f"the key '{key.value}' is there twice")
            seen.add(key.value if isinstance(key.value, str) else id(key))
        last = pairs[-1][1].range.end if pairs else end
        return Node(self, pairs, SourceRange(start, end if is_flow else last), is_flow, "mapping")
