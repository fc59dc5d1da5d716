"""What drives operators: the four messages on their way down a chain, with one input and with two."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pyarrow as pa
import pytest

from firesteel.errors import InternalError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import Chain, standing_clock
from firesteel.runtime.dataflow.operator import (
    MAX_WATERMARK,
    Operator,
    PortBatch,
    RowOperator,
    TwoInputOperator,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.operator_registry import OPERATORS, code
from firesteel.runtime.operators.calc.drop_update_before import DropUpdateBefore
from firesteel.runtime.spec.operators import (
    AggregateSpec,
    DropUpdateBeforeSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    LocalGroupAggregateSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
)
from firesteel.types.sql import INT, STRING
from tests.runtime.changes import parse, to_table
from tests.runtime.enrich import LEFT, RIGHT, EnrichSpec
from tests.runtime.messages import Driver, told

TYPES = (STRING, INT)
SUM = AggregateSpec("SUM", (1,), (INT,), INT)
AGGREGATE = GroupAggregateSpec((0,), (SUM,), TYPES, False, True, bundle=3)
DOUBLED = CalcSpec(("f0", "f1 * 2"), TYPES, "f1 > 0")


def chain(*specs: OperatorSpec, now: int = 1) -> Chain:
    return Chain.of(specs, None, standing_clock(now))


def test_an_operator_passes_on_what_it_does_not_care_about() -> None:
    for operator in (Operator(), RowOperator(), chain(DOUBLED, DropUpdateBeforeSpec())):
        driver = Driver(operator, TYPES)
        assert driver.changes("+I a 1") in ("+I[a,1]", "+I[a,2]")
        assert driver.watermark(5) == "W5"
        assert driver.barrier() == driver.end() == ""
        assert driver.watermark(MAX_WATERMARK) == "WMAX"


def test_what_a_bundle_held_goes_through_the_rest_of_the_chain() -> None:
    driver = Driver(chain(AGGREGATE, DOUBLED), TYPES)
    assert driver.changes("+I a 1, +I b 2") == ""
    assert driver.watermark(7) == "+I[a,2] +I[b,4] W7"
    assert driver.changes("+I a 1, +I a 1, +I b 1, +I c 5") == "-U[a,2] +U[a,6] -U[b,4] +U[b,6]"
    assert driver.barrier() == "+I[c,10]"
    assert driver.barrier() == driver.end() == ""


def test_the_barrier_comes_to_each_bundle_behind_what_the_one_before_held() -> None:
    both = chain(LocalGroupAggregateSpec(AGGREGATE), GlobalGroupAggregateSpec(AGGREGATE, 1))
    driver = Driver(both, TYPES)
    assert driver.changes("+I a 1, +I b 2") == ""
    assert driver.barrier() == "+I[a,1] +I[b,2]"


def test_watermarks_among_rows_stand_where_they_would_one_by_one() -> None:
    driver = Driver(chain(DOUBLED, AGGREGATE), TYPES)
    rows = "+I a 1, +I b 2, +I c -1, +I a 3, +I b 4, +I a 5"
    marks = ((0, 1), (2, 5), (3, 6), (6, 9))
    shown = "W1 +I[a,2] +I[b,4] W5 W6 -U[b,4] +U[b,12] -U[a,2] +U[a,18] W9"
    assert driver.watermarked(rows, *marks) == shown
    assert Driver(DropUpdateBefore(), TYPES).watermarked("-U a 1, +U a 2", (1, 4), (2, 7)) == "W4 +U[a,2] W7"


def test_an_assigner_ends_the_bundles_behind_it() -> None:
    """Its clock stands still within a micro-batch: it marks the first rows, before which nothing is held."""
    driver = Driver(chain(MiniBatchAssignerSpec(1000), AGGREGATE, now=2500), TYPES)
    assert driver.changes("+I a 1") == "W2000"
    assert driver.changes("+I a 2") == ""
    assert driver.watermark(9) == ""
    assert driver.barrier() == "+I[a,3]"


def test_an_end_releases_what_waits_for_row_time() -> None:
    driver = Driver(chain(MiniBatchAssignerSpec(50, row_time=True), DOUBLED), TYPES)
    assert driver.watermark(2) == driver.barrier() == ""
    assert driver.end() == "W2"


def test_two_inputs_reach_the_first_operator_by_their_ports() -> None:
    driver = Driver(chain(EnrichSpec(), CalcSpec(("f0", "f2", "f1"), (STRING, STRING, INT))), LEFT, RIGHT)
    assert driver.changes("+I a 1") == "+I[a,null,1]"
    assert driver.changes("+I a anna, +I b bert", port=1) == ""
    assert driver.changes("+I a 2, +I b 3, -D a 1") == "+I[a,anna,2] +I[b,bert,3] -D[a,anna,1]"
    assert driver.changes("+I a adam", port=1) == ""
    assert driver.changes("+I a 4") == "+I[a,adam,4]"


def test_event_time_is_that_of_the_input_that_is_behind() -> None:
    driver = Driver(TwoInputOperator(), LEFT, RIGHT)
    assert driver.watermark(5) == ""
    assert driver.watermark(3, port=1) == "W3"
    assert driver.watermark(4, port=1) == "W4"
    assert driver.watermark(9) == ""
    assert driver.watermark(2, port=1) == ""
    assert driver.watermark(MAX_WATERMARK, port=1) == "W9"
    assert driver.watermark(MAX_WATERMARK) == "WMAX"


def test_one_batch_of_two_inputs_is_processed_input_by_input() -> None:
    """Rows of port 1 have later numbers than those of port 0, and come first all the same: the operator says
    which input is processed first."""
    both = chain(EnrichSpec(), CalcSpec(("f0", "f2", "f1"), (STRING, STRING, INT)))
    values = to_table(parse("+I a 1, +I b 2", LEFT), LEFT, 0)
    names = to_table(parse("+I a anna", RIGHT), RIGHT, 5)
    none, at = np.empty(0, np.int64), np.array([9], np.int64)
    batch = PortBatch((WatermarkedBatch(values, none, none), WatermarkedBatch(names, none, none)))
    assert told(both.ports(batch)) == "+I[a,anna,1] +I[b,null,2]"
    marks = PortBatch(
        (WatermarkedBatch(values, np.array([4]), at), WatermarkedBatch(names, np.array([7]), at))
    )
    assert told(both.ports(marks)) == "+I[a,anna,1] +I[b,null,2] W4"
    assert told(both.ports(PortBatch((None, WatermarkedBatch(names.slice(0, 0), np.array([8]), at))))) == ""


def test_an_operator_of_one_input_takes_no_batch_of_several() -> None:
    with pytest.raises(InternalError, match="DropUpdateBefore has one input"):
        list(chain(DropUpdateBeforeSpec()).ports(PortBatch((None, None))))


def test_every_operator_has_a_builder_and_code() -> None:
    shown = {
        MiniBatchAssignerSpec(2000): ["-- MiniBatchAssigner, each 2000 ms of processing time"],
        DropUpdateBeforeSpec(): ["-- DropUpdateBefore"],
        DOUBLED: ["-- Calc, in DuckDB", "SELECT f0 AS f0,\n       f1 * 2 AS f1", "WHERE f1 > 0"],
    }
    for spec, lines in shown.items():
        assert list(code(spec)) == lines
    for spec, name in (
        (LocalGroupAggregateSpec(AGGREGATE), "LocalGroupAggregate"),
        (GlobalGroupAggregateSpec(AGGREGATE, 1), "GlobalGroupAggregate"),
        (AGGREGATE, "GroupAggregate"),
    ):
        title, handler = code(spec)
        assert title == f"-- {name}, in bundles of 3 rows"
        assert handler.startswith("class GroupAggregateHandler")
    for entry in OPERATORS.values():
        module = import_module(entry.module)
        assert callable(module.build)
        assert callable(module.code)


def test_a_spec_without_an_entry_is_named() -> None:
    class Unknown(OperatorSpec):
        pass

    with pytest.raises(InternalError, match="no operator runs Unknown"):
        chain(Unknown())


def test_empty_tables_end_where_rows_do() -> None:
    driver = chain(DOUBLED)
    none = pa.table({"$kind": pa.array([], pa.int8()), "$order": pa.array([], pa.int64())})
    none = none.append_column("f0", pa.array([], pa.string())).append_column("f1", pa.array([], pa.int32()))
    assert list(driver.changes(none)) == []
