"""Records of csv by kernels, against the reader that goes character by character."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from firesteel.formats.csv.csv_parser import CsvDialect, CsvReader, OpenQuote
from firesteel.kernels.text import csv_scan

PIECES = [
    "a",
    "bc",
    "é",
    "",
    "x" * 9,
    '"q"',
    '"a,b"',
    '"a;b"',
    '"l\nm"',
    '"d""q"',
    '""',
    '""""',
    'a"b',
    '" "',
    "\t",
    "#",
]


def scanned(text: str, delimiter: str, quote: str | None, width: int) -> list[list[str]] | None:
    """The records of a text; None where the kernels leave it to the other reader."""
    data = np.frombuffer(text.encode().ljust(8, b"\0"), np.uint8)  # kernels read words
    mark = -1 if quote is None else ord(quote)
    ends = np.empty(len(data) + 1, np.int32)
    count, is_open = csv_scan.record_ends(data, ord(delimiter), mark, ends)
    if count < 0 or is_open:
        return None
    offsets = np.append(0, ends[:count]).astype(np.int64)
    cells, odd = np.zeros((count, width), np.int64), np.empty(count, np.bool_)
    csv_scan.scan_records(data, offsets, ord(delimiter), mark, np.arange(width), cells, odd)
    if odd.any():
        return None
    columns = [texts(data, cells[:, column].copy(), mark) for column in range(width)]
    return [list(row) for row in zip(*columns, strict=True)]


def texts(data: np.ndarray, cells: np.ndarray, mark: int) -> list[str]:  # type: ignore[type-arg]
    out = np.empty(csv_scan.fields_size(cells) + 8, np.uint8)
    offsets = np.empty(len(cells) + 1, np.int32)
    csv_scan.copy_fields(data, cells, mark, offsets, out)
    ends = offsets.tolist()
    return [out[start:end].tobytes().decode() for start, end in pairwise(ends)]


def read(text: str, dialect: CsvDialect) -> list[list[str]]:
    reader, found = CsvReader(text, dialect), []
    try:
        while (record := reader.next()) is not None:
            found.append(record.values)
    except OpenQuote:
        pass
    return found


@pytest.mark.parametrize(
    ("delimiter", "quote"), [(",", '"'), (";", '"'), ("\t", '"'), (",", None), ("|", "'")]
)
def test_records_and_values(delimiter: str, quote: str | None) -> None:
    chance, agreed = random.Random(5), 0
    for _ in range(600):
        width = chance.choice([2, 3, 5])
        lines = [
            delimiter.join(chance.choice(PIECES) for _ in range(width)) for _ in range(chance.choice([1, 4]))
        ]
        text = "".join(
            line.replace('"', quote or '"') + chance.choice(["\n", "\n", "\r\n"]) for line in lines
        )
        found = scanned(text, delimiter, quote, width)
        if found is not None:
            agreed += 1
            assert found == read(text, CsvDialect(delimiter, quote)), text
    assert agreed > 150


@pytest.mark.parametrize(
    "text", ['a,"b" \n', 'a, "b"\n', 'ab"c,d\n', 'a,"b"c\n', "a\rb,c\n", "a,b,c\n", "a\n"]
)
def test_other_texts_are_left_to_the_other_reader(text: str) -> None:
    assert scanned(text, ",", '"', 2) is None


def test_an_open_quote_waits_for_the_next_block() -> None:
    data, ends = np.frombuffer(b'a,b\n"c\nd', np.uint8), np.empty(8, np.int32)
    assert csv_scan.record_ends(data, 44, 34, ends) == (1, True)
    assert ends[0] == 4
