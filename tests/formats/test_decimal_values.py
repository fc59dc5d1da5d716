"""DECIMALs of all precisions out of texts and files: columns hold what the exact reader reads, and NULL for
what has too many digits."""

from __future__ import annotations

import json
from decimal import Context, Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import field
from firesteel.errors import DataError
from firesteel.formats.base import Fields
from firesteel.formats.messages.json_cells import decimals, text_cells
from firesteel.formats.messages.text_values import decimal as exact
from firesteel.formats.parquet.format import Parquet
from firesteel.types.arrow_decimals import at_scale
from firesteel.types.sql import BIGINT, SqlType, decimal
from tests.formats.decoding import decode
from tests.scale import examples

BEYOND = "123456789012345678901234567890"
WIDE = decimal(38, 18)
_EXACT = Context(prec=200)


@st.composite
def kinds(draw: st.DrawFn) -> SqlType:
    precision = draw(st.integers(1, 38))
    return decimal(precision, draw(st.integers(0, precision)))


@st.composite
def limits(draw: st.DrawFn, precision: int, scale: int) -> str:
    """A number about which something ends: the digits of the type, 64 or 128 bits."""
    at = draw(
        st.sampled_from([10**precision, 10 ** (precision - scale), 1 << 63, 1 << 64, 1 << 127, 1 << 128])
    )
    number = at * draw(st.sampled_from([1, 1, 10**scale, 7])) + draw(st.sampled_from([-1, 0, 1]))
    power = draw(st.sampled_from([0, -scale, -scale - 1, -scale - 20, 3]))
    return format(Decimal(number).scaleb(power, _EXACT), "f")


@st.composite
def texts(draw: st.DrawFn, kind: SqlType) -> str:
    """A number in digits, with a fraction, with an exponent; or none."""
    precision, scale = kind.precision or 0, kind.scale or 0
    whole = draw(st.text("0123456789", min_size=1, max_size=45))
    text = draw(
        st.one_of(
            limits(precision, scale),
            st.just(whole),
            st.text("059", max_size=45).map(lambda behind: f"{whole}.{behind}"),
            st.integers(-60, 60).map(lambda power: f"{whole}E{power:+d}"),
            st.integers(-60, 150).map(lambda power: f"{whole[0]}.{whole[1:]}e{power}"),
            st.sampled_from(["", "-", ".", "1e", "abc", " 1", "1_0", "+5", "1.2.3", "--1", "5" * 200]),
        )
    )
    return draw(st.sampled_from(["", "-"])) + text


def read_exactly(text: str, kind: SqlType) -> Decimal | str | None:
    try:
        return exact(text, kind.precision or 0, kind.scale or 0)
    except ValueError:
        return "none"


@given(st.data(), kinds())
@settings(max_examples=examples(1200), deadline=None)
def test_the_kernel_reads_as_the_exact_reader(data: st.DataObject, kind: SqlType) -> None:
    given_ = data.draw(st.lists(st.one_of(st.none(), texts(kind)), min_size=1, max_size=20))
    column, odd = decimals(*text_cells(pa.array(given_, pa.string())), kind)
    for text, value, is_odd in zip(given_, column.to_pylist(), odd.tolist(), strict=True):
        if text is None:
            assert (value, is_odd) == (None, False)
        elif not is_odd:
            assert value == read_exactly(text, kind)
        else:  # what is left to the exact reader is long or rare
            assert read_exactly(text, kind) == "none" or len(text) > 128 or text[0] == "+" or "e" in text


def test_a_part_of_a_column() -> None:
    column, odd = decimals(*text_cells(pa.array(["1", None, "2.5", "x"])[1:]), decimal(3, 1))
    assert column.to_pylist() == [None, Decimal("2.5"), None]
    assert odd.tolist() == [False, False, True]


# --- in every format ---------------------------------------------------------------------------------
def message(name: str, number: int, text: str, quoted: bool) -> str:
    row = f'{{"id":{number},"x":{json.dumps(text) if quoted else text}}}'
    return {
        "csv": f"{number},{text}",
        "json": row,
        "canal-json": f'{{"data":[{row}],"type":"INSERT"}}',
        "maxwell-json": f'{{"data":{row},"type":"insert"}}',
        "debezium-json": f'{{"before":null,"after":{row},"op":"c"}}',
        "ogg-json": f'{{"after":{row},"op_type":"I"}}',
    }[name]


FORMATS = ("csv", "json", "canal-json", "maxwell-json", "debezium-json", "ogg-json")


def numbers(name: str, lines: list[str], kind: SqlType) -> list[Decimal | None]:
    table = decode(name, {"id": BIGINT, "x": kind}, "\n".join(lines) + "\n")
    assert table.column(field(0)).to_pylist() == list(range(len(lines)))
    found: list[Decimal | None] = table.column(field(1)).to_pylist()
    return found


@pytest.mark.parametrize("quoted", [False, True], ids=["number", "string"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_number_beyond_the_type_is_null_among_small_ones(name: str, quoted: bool) -> None:
    small = [message(name, number, f"{number}.5", quoted) for number in range(4999)]
    found = numbers(name, [*small, message(name, 4999, BEYOND, quoted)], WIDE)
    assert found == [*(Decimal(number) + Decimal("0.5") for number in range(4999)), None]
    assert numbers(name, [message(name, 0, BEYOND, quoted)], WIDE) == [None]


def test_with_a_null_literal() -> None:
    lines = [f"{number},{number}" for number in range(4999)] + [f"4999,{BEYOND}", "5000,none"]
    table = decode("csv", {"id": BIGINT, "x": WIDE}, "\n".join(lines) + "\n", null_literal="none")
    assert table.column(field(1)).to_pylist()[-3:] == [Decimal(4998), None, None]


@given(st.data(), kinds(), st.sampled_from(FORMATS), st.booleans())
@settings(max_examples=examples(80), deadline=None)
def test_blocks_and_single_rows_agree(data: st.DataObject, kind: SqlType, name: str, quoted: bool) -> None:
    """Of a block with many rows columns are made; single rows go to the exact reader."""
    written = texts(kind) if quoted and name != "csv" else texts(kind).filter(_is_json_number)
    drawn = data.draw(st.lists(written.filter(lambda text: read_exactly(text, kind) != "none"), max_size=8))
    small = ["0"] * 4998
    found = numbers(name, [message(name, n, t, quoted) for n, t in enumerate([*drawn, *small])], kind)
    assert found[: len(drawn)] == [read_exactly(text, kind) for text in drawn]
    for text in drawn:
        assert numbers(name, [message(name, 0, text, quoted)], kind) == [read_exactly(text, kind)]


def _is_json_number(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (int, float)) and len(text) < 300
    except ValueError:
        return False


# --- parquet -----------------------------------------------------------------------------------------
def read_parquet(path: Path, kind: SqlType) -> list[Decimal | None]:
    fields = Fields(("x",), (kind,), ("x",), (kind,))
    found: list[Decimal | None] = []
    for table in Parquet().file_reader(fields, {}).read(str(path)):
        found += table.column(field(0)).to_pylist()
    return found


def test_a_number_that_another_scale_has_no_room_for_is_an_error(tmp_path: Path) -> None:
    values = pa.array([Decimal(1), Decimal(BEYOND), None], pa.decimal128(38, 0))
    pq.write_table(pa.table({"x": values}), tmp_path / "a")
    assert read_parquet(tmp_path / "a", decimal(38, 0)) == [Decimal(1), Decimal(BEYOND), None]
    assert read_parquet(tmp_path / "a", decimal(38, 8)) == [Decimal(1), Decimal(BEYOND), None]
    with pytest.raises(DataError, match="does not fit in precision 38"):
        read_parquet(tmp_path / "a", WIDE)


@given(st.data(), kinds(), kinds())
@settings(max_examples=examples(800), deadline=None)
def test_another_scale_keeps_the_value_or_is_refused(
    data: st.DataObject, source: SqlType, target: SqlType
) -> None:
    most = 10 ** (source.precision or 0) - 1
    number = data.draw(st.one_of(st.integers(-most, most), st.sampled_from([most, -most, most // 10, 0])))
    value = Decimal(number).scaleb(-(source.scale or 0), _EXACT)
    column = pa.array([value, None], pa.decimal128(source.precision, source.scale))
    unit = Decimal(1).scaleb(-(target.scale or 0))
    fits = _EXACT.remainder(value, unit) == 0 and value.copy_abs() < 10 ** (
        (target.precision or 0) - (target.scale or 0)
    )
    try:
        found = at_scale(column, pa.decimal128(target.precision, target.scale)).to_pylist()
    except pa.ArrowInvalid:
        assert not fits
    else:
        assert fits
        assert found == [value, None]
