"""ruff does not see the statements of aggregates, which are texts. So it reads the generated handlers."""

from __future__ import annotations

import subprocess
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from firesteel.runtime.aggregate.functions.registry import AGGREGATES
from firesteel.runtime.aggregate.row_engine.handler import generate, names_of
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import BIGINT, BYTES, DOUBLE, INT, STRING, SqlType, TypeRoot, array, decimal
from tests.runtime.aggregate.functions.test_aggregate_results import result_type

RUFF = Path(sysconfig.get_path("scripts")) / "ruff"
ARGUMENTS: dict[str, tuple[SqlType, ...]] = {
    "COUNT": (INT, STRING, DOUBLE),
    "LISTAGG": (STRING,),
    "JSON_ARRAYAGG": (STRING,),
    "JSON_OBJECTAGG": (STRING,),
    "BITMAP_BUILD_AGG": (INT,),
    "BITMAP_BUILD_CARDINALITY_AGG": (INT,),
    **dict.fromkeys(("MIN", "MAX"), (INT, DOUBLE, STRING)),
    **dict.fromkeys(("FIRST_VALUE", "LAST_VALUE", "SINGLE_VALUE"), (INT, DOUBLE, STRING, BYTES)),
    **dict.fromkeys(("ARRAY_AGG", "LAG"), (INT, DOUBLE, BYTES)),
    "COLLECT": (INT, DOUBLE, STRING),
}
SECOND: dict[str, SqlType] = {"LISTAGG": STRING, "JSON_OBJECTAGG": STRING, "PERCENTILE": array(DOUBLE)}


def calls(function: str) -> list[AggregateSpec]:
    """The calls of a function, of each kind of argument, with and without retraction and DISTINCT."""
    kinds = ARGUMENTS.get(function, (INT, DOUBLE, decimal(10, 2)))
    if function.startswith("BITMAP") and function not in ARGUMENTS:
        kinds = (SqlType(TypeRoot.BITMAP),)
    found = []
    for kind in kinds:
        result = BIGINT if function.startswith("BITMAP") else result_type(function, kind)
        types = (kind, *((SECOND[function],) if function in SECOND else ()))
        plain = AggregateSpec(function, tuple(range(1, 1 + len(types))), types, result, False)
        if function == "LAG":
            plain = replace(plain, options=("1",))
        found += [plain, replace(plain, retract=True), replace(plain, retract=True, distinct=True)]
    return found


@pytest.mark.parametrize("function", AGGREGATES)
def test_ruff_finds_nothing(function: str, tmp_path: Path) -> None:
    for number, call in enumerate(calls(function)):
        spec = GroupAggregateSpec((0,), (call,), (STRING, *call.arg_types), call.retract, True)
        generated = generate(spec)
        names = "\n".join(f"{name} = None" for name in names_of(generated.functions))
        (tmp_path / f"handler{number}.py").write_text(f"{names}\n\n\n{generated.source}\n")
    command = [str(RUFF), "check", "--isolated", "--select", "E9,F,B,PLE,PLW0", "--ignore", "B007,B905", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
