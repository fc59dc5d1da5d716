"""Each thing has one name: names that a part had earlier do not come back into the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "firesteel"

EVERYWHERE = {
    "Admitted": "CheckedRows",
    "Flushes": "BufferFlushes",
    "MapEnds": "MapBounds",
    "Partials": "AccumulatorTables",
    "RunningExtreme": "PrefixExtreme",
    "running_fields": "prefix_fields",
    "slept": "without_timer",
    "AscendingMarks": "AscendingWatermarks",
    "Admission": "LateRowCheck",
    "Fact": "NodeProperty",
    "FastStart": "DirectLauncher",
    "Forgetting": "IdleKeyExpiry",
    "GivenRows": "DeliveredRows",
    "HeldRows": "BufferedRows",
    "KeptNumber": "RetainedNumber",
    "KeptRows": "RetainedRows",
    "KeptWatermark": "RetainedWatermark",
    "LAST_ORDER": "LAST_SEQUENCE",
    "NoRunningForm": "NoPrefixScan",
    "RowLives": "RowLifetimes",
    "RunningBatch": "PrefixScanBatch",
    "RunningPlan": "PrefixScanPlan",
    "SleepingSlices": "SlicesWithoutTimer",
    "by_cause": "by_origin",
    "caused": "derived",
    "last_order": "last_sequence",
    "last_place": "last_sub_sequence",
    "life_keys": "segment_keys",
    "life_starts": "segment_starts",
    "order_shift": "sequence_shift",
    "place_bits": "sub_sequence_bits or row_bits",
    "plain_context": "spark_submit_context",
    "row_orders": "row_sequences",
}
"""New names of whole identifiers, by the old ones."""

IN_OPERATORS = {
    "cause": "origin",
    "causes": "origins",
    "game": "the thing itself",
    "mark": "watermark",
    "marks": "watermarks",
    "stood": "row_watermarks",
}
"""New names of parts of identifiers in the folders where rows, watermarks and changes flow."""

FOLDERS = ("runtime/dataflow", "runtime/operators", "spark/task")

_PERHAPS = re.compile(
    rf"\b_*(?:{'|'.join(EVERYWHERE)})\b|(?<![a-z0-9])(?i:{'|'.join(IN_OPERATORS)})(?![a-z0-9])"
)
"""Files without a match have no old name: most need not be parsed."""
IN_CHECKPOINTS = {("runtime/operators/watermark/watermark_assigner.py", "marks")}
"""Fields of specs: checkpoints name them, so they keep their names."""


def identifiers(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of each variable, attribute, argument, function, class and import."""
    for node in ast.walk(ast.parse(file.read_text())):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Name():
                yield line, node.id
            case ast.Attribute():
                yield line, node.attr
            case ast.arg():
                yield line, node.arg
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                yield line, name.rpartition(".")[2]
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield line, node.name


def old_names(file: Path) -> list[str]:
    """Return the old names in a file, each with its line and its new name."""
    if not _PERHAPS.search(file.read_text(encoding="utf-8")):
        return []
    path = file.relative_to(SOURCE).as_posix()
    found = []
    for line, name in identifiers(file):
        if name.lstrip("_") in EVERYWHERE:
            found.append(f"{path}:{line}: {name}: {EVERYWHERE[name.lstrip('_')]}")
        elif path.startswith(FOLDERS) and (path, name) not in IN_CHECKPOINTS:
            old = sorted(IN_OPERATORS.keys() & set(name.lower().split("_")))
            found += [f"{path}:{line}: {name}: {IN_OPERATORS[each]}" for each in old]
    return found


@pytest.mark.parametrize("part", sorted(path.name for path in SOURCE.iterdir() if path.name != "__pycache__"))
def test_old_names_do_not_come_back(part: str) -> None:
    files = sorted((SOURCE / part).rglob("*.py")) or [SOURCE / part]
    assert [each for file in files for each in old_names(file)] == []


def test_an_old_name_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.SOURCE", tmp_path)
    file = tmp_path / "runtime" / "operators" / "x.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "from a import KeptRows\n\n\ndef f(first_mark):\n    return self.causes, watermark, order\n"
    )
    assert [each.partition(" ")[0] for each in sorted(old_names(file))] == [
        f"runtime/operators/x.py:{line}:" for line in (1, 4, 5)
    ]
