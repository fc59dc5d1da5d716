"""Folders of a partitioned table: `day=2026-01-01/city=Rome`.

Flink: RowDataPartitionComputer writes the text of a value's internal form, RowPartitionComputer reads it,
PartitionPathUtils escapes names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.connectors.print_format import local_date_time
from firesteel.errors import DataError
from firesteel.runtime.columns.keys import find_keys, one_array
from firesteel.types.arrow import to_arrow
from firesteel.types.iso_times import moment_of_iso
from firesteel.types.primitive_text import double_text, float_text
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot
from firesteel.types.text import plain_values

_ESCAPED = re.compile("[\x01-\x1f\"#%'*/:=?\\\\\x7f{}\\[\\]^]")
_INTEGERS = (TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT)
READABLE = (*CHARACTER, *_INTEGERS, TypeRoot.BOOLEAN, TypeRoot.FLOAT, TypeRoot.DOUBLE, TypeRoot.TIMESTAMP)
"""Types whose values are the same after writing and reading them."""


@dataclass(frozen=True)
class Partitions:
    """Partition columns of a table.

    Attributes:
        keys: Names of the columns, in the order of PARTITIONED BY.
        types: Their types.
        default: Name for NULL and for an empty text (`partition.default-name`).
    """

    keys: tuple[str, ...]
    types: tuple[SqlType, ...]
    default: str

    def folders(self, columns: Sequence[pa.Array | pa.ChunkedArray]) -> Iterator[tuple[str, pa.Array]]:
        """Yield the folder of each combination of partition values, and the positions of its rows.

        Args:
            columns: The partition columns, with one value for each row.
        """
        arrays = [one_array(column) for column in columns]
        keys = find_keys(arrays, len(arrays[0]))
        texts = [self._texts(*pair) for pair in zip(keys.columns, self.types, strict=True)]
        for at, values in enumerate(zip(*texts, strict=True)):
            pairs = zip(self.keys, values, strict=True)
            folder = "/".join(f"{escaped(key)}={escaped(value)}" for key, value in pairs)
            start = int(keys.starts[at])
            yield folder, pa.array(np.sort(keys.order[start : start + int(keys.counts[at])]))

    def hold(self, root: Path, path: str) -> bool:
        """Return whether a file is in a folder of a partition below the table's folder `root`.

        Always True for a table without partition columns.
        """
        try:
            below = Path(path).relative_to(root).parts[:-1]
        except ValueError:
            return not self.keys
        return [unescaped(part.partition("=")[0]) for part in below[: len(self.keys)]] == list(self.keys)

    def _texts(self, values: pa.Array, kind: SqlType) -> list[str]:
        shown = (None if value is None else _text(value, kind) for value in plain_values(values))
        return [text or self.default for text in shown]

    def value(self, path: str, key: str) -> pa.Scalar:
        """Return the value of a partition column from the path of a file.

        Raises:
            DataError: The path has no value for the column, or the value is not of its type.
        """
        kind = self.types[self.keys.index(key)]
        found = [part.partition("=") for part in PurePath(path).parts[:-1]]
        texts = [unescaped(text) for name, equals, text in found if equals and unescaped(name) == key]
        if not texts:
            raise DataError(
                f"Cannot find the partition value from path for partition: {key}",
                hint=f"{path} lies in no folder called {key}=...",
            )
        text = texts[-1]
        try:
            value = None if text == self.default else _value(text, kind)
        except ValueError:
            raise DataError(f"{path}: '{text}' is no {kind}, as the column {key} is.") from None
        return pa.scalar(value, to_arrow(kind))


_LONGEST_NAME, _LONGEST_PATH = 255, 4095
"""Limits of nearly every file system, in bytes: of the name of a file or folder, and of a path."""
_OF_FILES = 80
"""Number of bytes that `unnamable` reserves for the name of a file in a partition's folder."""


def unnamable(root: Path, folder: str) -> tuple[int, str] | None:
    """Return why no folder can have the name of a partition, or None if one can.

    Args:
        root: The table's folder.
        folder: Folder of the partition, from `Partitions.folders`.

    Returns:
        The position of the partition column that causes the problem, and the reason.
    """
    names = folder.split("/")
    sizes = [len(os.fsencode(name)) for name in names]
    for place, name in enumerate(names):
        if "\0" in name:
            return place, "its value holds the character NUL, which no name of a folder can have"
        if sizes[place] > _LONGEST_NAME:
            return place, f"its folder's name has {sizes[place]} bytes, and {_LONGEST_NAME} is the most"
    size = len(os.fsencode(root)) + sum(sizes) + len(names) + 1 + _OF_FILES
    if size > _LONGEST_PATH:
        return sizes.index(max(sizes)), f"its file's path has {size} bytes, and {_LONGEST_PATH} is the most"
    return None


def escaped(text: str) -> str:
    """Return a text as a name for a folder: special characters such as `/` or `=` become `%2F` or `%3D`."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def unescaped(name: str) -> str:
    """Return the text from which `escaped` has made a folder's name."""
    return re.sub("%([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), name)


def _text(value: Any, kind: SqlType) -> str:
    if kind.root is TypeRoot.BOOLEAN:
        return str(value).lower()
    if kind.root is TypeRoot.CHAR:
        return str(value).ljust(kind.length or 1)
    if kind.root is TypeRoot.DOUBLE:
        return double_text(value)
    if kind.root is TypeRoot.FLOAT:
        return float_text(value)
    return local_date_time(value) if kind.root is TypeRoot.TIMESTAMP else str(value)


def _value(text: str, kind: SqlType) -> Any:
    if kind.root in CHARACTER:
        return text
    if kind.root is TypeRoot.BOOLEAN:
        return text.lower() == "true"
    if kind.root is TypeRoot.TIMESTAMP:
        return moment_of_iso(text)
    return int(text) if kind.root in _INTEGERS else float(text)
