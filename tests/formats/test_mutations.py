"""A sample of what `python -m tests.formats.mutations` and `mutated_files` run at length."""

from __future__ import annotations

import pytest

from firesteel.kernels.compiler import CHECKED
from tests.formats.mutated_files import MAKERS, outcomes
from tests.formats.mutation_subjects import subjects
from tests.formats.mutations import Report, run
from tests.formats.schema_registry import Registry
from tests.scale import FULL

FAMILIES = ("json", "csv", "canal", "debezium", "maxwell", "ogg", "raw", "avro", "key", "broken")


@pytest.mark.parametrize("family", FAMILIES)
def test_damaged_messages(family: str, registry: Registry) -> None:
    report = Report()
    chosen = [each for each in subjects(registry) if each.name.startswith(family)]
    assert chosen
    for subject in chosen:
        run(subject, 400 if FULL else 25 if CHECKED else 15, 7, report)
    assert not report.finds, report.finds[0]
    assert report.rows or family == "broken"


def test_all_tables_have_a_family(registry: Registry) -> None:
    assert all(each.name.startswith(FAMILIES) for each in subjects(registry))


@pytest.mark.parametrize("name", MAKERS)
def test_damaged_files(name: str) -> None:
    count = 400 if FULL else (40 if name in ("avro", "parquet") else 15) // (1 if CHECKED else 3)
    found = [what for _, what in outcomes(name, range(count))]
    assert len(found) == count
    assert set(found) <= {"rows", "refused"}
    assert "refused" in found
