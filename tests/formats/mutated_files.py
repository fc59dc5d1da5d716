"""Mutated files of avro, parquet and lines, compressed or not: each gives its rows or an error that names it.

    python -m tests.formats.mutated_files --files 2000 --seed 1 [--only parquet]

Files of lines are read in columns and one by one. All are read in a child process, which notes where it is:
if it dies, the file that it read is a find.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq

from firesteel.connectors.filesystem.source import FilesystemSource
from firesteel.errors import FiresteelError
from firesteel.formats.avro.schema import to_schema
from firesteel.formats.base import Fields
from firesteel.formats.files import file_format
from firesteel.formats.registry import find_format
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types import sql
from tests.formats.good_messages import Good, avro_value, before_after, csv, plain
from tests.formats.mutate import damaged_bytes
from tests.formats.mutation_subjects import EXACT, PLAIN
from tests.formats.mutations import written

AVRO = {
    "id": sql.BIGINT, "s": sql.STRING, "i": sql.INT, "d": sql.DOUBLE, "b": sql.BOOLEAN, "t": sql.timestamp(3),
    "y": sql.DATE, "m": sql.decimal(10, 2), "l": sql.array(sql.STRING), "p": sql.map_of(sql.STRING, sql.INT),
    "r": sql.row(("a", "b"), (sql.INT, sql.STRING)),
}  # fmt: skip
ANY = -1
Make = Callable[[random.Random], tuple[bytes, int]]
_CODECS = ("null", "deflate", "snappy", "bzip2", "xz")


def avro_file(chance: random.Random) -> tuple[bytes, int]:
    """A good file, and how many rows it has."""
    rows, out = chance.choice((0, 1, 40, 300)), BytesIO()
    schema = fastavro.parse_schema(to_schema(sql.row(tuple(AVRO), tuple(AVRO.values())).with_nullable(False)))
    records = [{name: avro_value(chance, kind) for name, kind in AVRO.items()} for _ in range(rows)]
    fastavro.writer(
        out, schema, records, codec=chance.choice(_CODECS), sync_interval=chance.choice((500, 16_000))
    )
    return out.getvalue(), rows


def parquet_file(chance: random.Random) -> tuple[bytes, int]:
    """The same of parquet."""
    rows, out = chance.choice((0, 1, 40, 3000)), BytesIO()
    table = pa.table(
        {
            "id": pa.array(range(rows), pa.int64()),
            "s": [chance.choice((None, "a", "bb", "é" * 9)) for _ in range(rows)],
            "i": pa.array([chance.choice((None, 1, 2, 3)) for _ in range(rows)], pa.int32()),
            "d": [chance.random() for _ in range(rows)],
            "b": [chance.random() < 0.5 for _ in range(rows)],
            "t": pa.array([chance.randrange(10**15) for _ in range(rows)], pa.timestamp("us")),
            "y": pa.array([chance.randrange(20000) for _ in range(rows)], pa.date32()),
            "m": pa.array([chance.randrange(10**7) for _ in range(rows)], pa.int64()).cast(
                pa.decimal128(21, 2)
            ),
            "l": pa.array([["x"] * chance.randrange(3) for _ in range(rows)], pa.list_(pa.string())),
            "p": pa.array(
                [[("k", 1)] * chance.randrange(2) for _ in range(rows)], pa.map_(pa.string(), pa.int32())
            ),
            "r": pa.array(
                [{"a": 1, "b": "y"} for _ in range(rows)], pa.struct({"a": pa.int32(), "b": pa.string()})
            ),
        }
    )
    pq.write_table(
        table.set_column(7, "m", table["m"].cast(pa.decimal128(10, 2), safe=False)), out,
        row_group_size=chance.choice((10, 1000, 100_000)),
        compression=chance.choice(("NONE", "SNAPPY", "GZIP", "ZSTD")),
        use_dictionary=chance.random() < 0.5,
        write_page_checksum=chance.random() < 0.5,
        data_page_version=chance.choice(("1.0", "2.0")),
        data_page_size=chance.choice((200, 1 << 20)),
        use_deprecated_int96_timestamps=chance.random() < 0.5,
    )  # fmt: skip
    return out.getvalue(), rows


def lines_file(good: Good) -> Make:
    """Makes files of lines; how many rows a damaged one has cannot be said."""

    def made(chance: random.Random) -> tuple[bytes, int]:
        return b"".join(good(chance) + b"\n" for _ in range(chance.choice((0, 1, 100, 300)))), ANY

    return made


def compressed(
    make: Callable[[random.Random], tuple[bytes, int]],
) -> Callable[[random.Random], tuple[bytes, int]]:
    """Makes the same files, compressed: their checksums tell of any damage."""

    def made(chance: random.Random) -> tuple[bytes, int]:
        data, _ = make(chance)
        return gzip.compress(data, chance.choice((0, 6)), mtime=0), data.count(b"\n")

    return made


MAKERS = {
    "avro": avro_file,
    "parquet": parquet_file,
    "json": lines_file(plain(EXACT)),
    "csv": lines_file(csv(EXACT)),
    "debezium-json": lines_file(before_after(EXACT, "crud", "op")),
    "json.gz": compressed(lines_file(plain(PLAIN))),
    "csv.gz": compressed(lines_file(csv(PLAIN))),
}


def damaged_file(chance: random.Random, data: bytes) -> bytes:
    """Anywhere in the file, or where it describes itself."""
    if data and chance.random() < 0.5:
        return _in_place(chance, data)
    if chance.random() < 0.3:
        return damaged_bytes(chance, data)
    if chance.random() < 0.5:
        tail = min(len(data), chance.choice((16, 400, 2000)))
        return data[:-tail] + damaged_bytes(chance, data[-tail:])
    head = min(len(data), chance.choice((30, 400, 2000)))
    return damaged_bytes(chance, data[:head]) + data[head:]


def _in_place(chance: random.Random, data: bytes) -> bytes:
    """With all else where it was: what stands behind is still found."""
    made = bytearray(data)
    end = len(made) if chance.random() < 0.5 else max(0, len(made) - 8)
    start = max(0, end - chance.choice((300, 2000, len(made)))) if chance.random() < 0.6 else 0
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.randrange(start, end) if end > start else 0
        made[place] = chance.choice(
            (made[place] ^ 1 << chance.randrange(8), chance.randrange(256), 0, 255, 128)
        )
    return bytes(made)


def outcome(name: str, path: Path, rows: int, *, ignoring: bool = False) -> str:
    """What reading a file gives: `rows`, `refused`, or what must not be. rows: ANY if any number will do."""
    try:
        found = rows_of(name, path) if name in ("avro", "parquet") else rows_of_lines(name, path, ignoring)
    except FiresteelError as error:
        return "refused" if str(path) in str(error) else f"without the file's name: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return "rows" if rows in (found, ANY) else f"{found} rows, not {rows}"


def rows_of(name: str, path: Path) -> int:
    """Read a file of a format that reads files itself."""
    reader = file_format(find_format(name)).file_reader(Fields(tuple(AVRO), tuple(AVRO.values())), {})
    return sum(table.num_rows for table in reader.read(str(path)))


def rows_of_lines(name: str, path: Path, ignoring: bool) -> int:
    """Read a file of lines in columns and one by one. Raises AssertionError where these do not agree."""
    columns = PLAIN if name.endswith(".gz") else EXACT
    of = name.removesuffix(".gz")
    options = {"connector": "filesystem", "path": str(path), "format": of}
    options[f"{of}.ignore-parse-errors"] = "true" if ignoring else "false"
    scan = ScanSpec(
        "filesystem",
        tuple(options.items()),
        tuple(columns),
        tuple(columns.values()),
        tuple(range(len(columns))),
    )
    found: list[tuple[str, int]] = []
    for columnar in (True, False):
        source: Any = FilesystemSource(scan)
        source._format = _OneReader(source._format, columnar)
        try:
            tables = [table for split in source.splits(1) for table in source.read(split)]
        except FiresteelError as error:
            found.append((str(error), ANY))
            last = error
        else:
            found.append(("\n".join(map(written, tables)), sum(table.num_rows for table in tables)))
    assert found[0] == found[1], f"{found[0][0][:150]!r} and {found[1][0][:150]!r}"
    if found[0][1] == ANY:
        raise last
    return found[0][1]


class _OneReader:
    """A format whose decoders read in columns, or one by one, whatever the size of a block."""

    def __init__(self, of: Any, columnar: bool) -> None:
        self._of, self._columnar = of, columnar

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, name)

    def decoder(self, fields: Fields, options: Any) -> Any:
        made: Any = self._of.decoder(fields, options)
        if not self._columnar:
            made._columns = None
        elif made._columns is not None:
            vars(made._columns)["is_worth"] = lambda messages: messages > 0
        return made


def read_all(name: str, seeds: range, folder: str, said: Any) -> None:
    """Read the mutated file of each seed; say what it gave."""
    for seed in seeds:
        chance = random.Random(f"{name} {seed}")
        data, rows = MAKERS[name](chance)
        path, damaged = Path(folder) / f"file.{name}", damaged_file(chance, data)
        path.write_bytes(damaged)
        if not damaged or (name == "avro" and data.startswith(damaged) and damaged[-16:] == data[-16:]):
            rows = ANY  # empty, or cut at the end of a block: a file of Avro does not say how many it has
        said.send((seed, outcome(name, path, rows, ignoring=chance.random() < 0.5)))
    said.send(None)


def outcomes(name: str, seeds: range) -> Iterator[tuple[int, str]]:
    """What the mutated file of each seed gives, the death of the process that reads it among it."""
    context, at = multiprocessing.get_context("fork"), seeds.start
    with tempfile.TemporaryDirectory() as folder:
        while at < seeds.stop:
            here, there = context.Pipe(duplex=False)
            child = context.Process(target=read_all, args=(name, range(at, seeds.stop), folder, there))
            child.start()
            there.close()
            try:
                while here.poll(60):
                    if (found := here.recv()) is None:
                        return
                    yield found
                    at = found[0] + 1
                yield at, "takes a minute"
                child.kill()
            except EOFError:
                child.join()
                yield at, f"the process died: {child.exitcode}"
            finally:
                child.join(1)
            at += 1


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    finds = 0
    for name in MAKERS:
        if name.startswith(arguments.only):
            counts: Counter[str] = Counter()
            first = arguments.seed * 1_000_000
            for seed, what in outcomes(name, range(first, first + arguments.files)):
                counts[what if what in ("rows", "refused") else "finds"] += 1
                if what not in ("rows", "refused"):
                    finds += 1
                    print(f"  FOUND {name} {seed}: {what}", flush=True)
            print(f"{name}: {arguments.files} files, {dict(counts)}", flush=True)
    raise SystemExit(finds > 0)


if __name__ == "__main__":
    main()
