"""Types of joins, and the columns that a join condition requires to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import conjuncts, input_refs
from firesteel.plan.nodes.join.not_distinct import collapsed
from firesteel.plan.tree import Field, unique_columns

EQUALITIES = ("=", "IS NOT DISTINCT FROM")


class JoinType(Enum):
    """Type of a join. The value is its name in logical plans."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def pads_left(self) -> bool:
        """Whether rows of the right input are sent without a partner, with NULLs for the left columns."""
        return self in (JoinType.RIGHT, JoinType.FULL)

    @property
    def pads_right(self) -> bool:
        """Whether rows of the left input are sent without a partner, with NULLs for the right columns."""
        return self in (JoinType.LEFT, JoinType.FULL)

    @property
    def has_right_columns(self) -> bool:
        """Whether the output has the columns of the right input. In SEMI and ANTI joins it has not."""
        return self not in (JoinType.SEMI, JoinType.ANTI)

    @property
    def physical_name(self) -> str:
        """Name of the type in physical plans (Flink: FlinkJoinType)."""
        outer = {JoinType.LEFT: "LeftOuter", JoinType.RIGHT: "RightOuter", JoinType.FULL: "FullOuter"}
        named = {**outer, JoinType.INNER: "Inner", JoinType.SEMI: "LeftSemi", JoinType.ANTI: "LeftAnti"}
        return f"{named[self]}Join"

    @classmethod
    def padding(cls, left: bool, right: bool) -> JoinType:
        """Return INNER, LEFT, RIGHT or FULL, by the inputs whose rows are sent without a partner.

        Args:
            left: Whether rows of the right input are sent with NULLs for the left columns.
            right: Whether rows of the left input are sent with NULLs for the right columns.
        """
        if left:
            return cls.FULL if right else cls.RIGHT
        return cls.LEFT if right else cls.INNER


SIDES = ("LEFT", "RIGHT")


@dataclass(frozen=True)
class JoinHints:
    """Hints of a query about one of its joins.

    Attributes:
        ttl: STATE_TTL of each input as written, "" for the job's default.
        strategies: Names of batch join hints, such as BROADCAST, each with the inputs that it names. They are
            printed in plans, and have no effect in streaming, as in Flink.
        multi_join: Whether joins by one key are to be merged into one.
    """

    ttl: tuple[str, str] = ("", "")
    strategies: tuple[tuple[str, tuple[str, ...]], ...] = ()
    multi_join: bool = False

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Return the last attributes of a join in physical plans: its hints (Flink: RelTreeWriterImpl)."""
        found = []
        if self.strategies:
            texts = (f"[{name} options:[{', '.join(sides)}]]" for name, sides in self.strategies)
            found.append(("joinHints", f"[{''.join(texts)}]"))
        if any(self.ttl):
            times = ", ".join(f"{side}={ttl}" for side, ttl in zip(SIDES, self.ttl, strict=True) if ttl)
            found.append(("stateTtlHints", f"[[STATE_TTL options:{{{times}}}]]"))
        return found


def join_fields(left: Sequence[Field], right: Sequence[Field], join_type: JoinType) -> tuple[Field, ...]:
    """Return the output columns of a join: those of both inputs, for SEMI and ANTI only the left ones.

    A duplicate name gets a number (Calcite: SqlValidatorUtil.deriveJoinRowType). Columns that are NULL in
    rows without a partner are nullable: the right columns of LEFT, the left ones of RIGHT, and all of FULL.
    """
    if not join_type.has_right_columns:
        return tuple(left)
    types = [
        *(field.type.with_nullable(field.type.nullable or join_type.pads_left) for field in left),
        *(field.type.with_nullable(field.type.nullable or join_type.pads_right) for field in right),
    ]
    names = unique_columns([field.name for field in (*left, *right)])
    return tuple(map(Field, names, types))


def named(fields: Sequence[Field], names: Sequence[str]) -> tuple[Field, ...]:
    """Return columns with other names. If no names are given, the columns stay."""
    return tuple(map(Field, names, (field.type for field in fields))) if names else tuple(fields)


@dataclass(frozen=True)
class EqualColumns:
    """Columns that a join condition requires to be equal (Calcite: JoinInfo).

    Attributes:
        left: Positions in the left input.
        right: Position in the right input for each of them.
        null_safe: For each pair whether NULL equals NULL.
        rest: Rest of the condition, over the columns of both inputs.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    null_safe: tuple[bool, ...]
    rest: tuple[Expr, ...]


def equal_columns(condition: Expr, width: int) -> EqualColumns:
    """Return the columns that a join condition equates, and the rest of the condition.

    Args:
        condition: Condition over the columns of the left input, then of the right one.
        width: Number of columns of the left input.
    """
    pairs: list[tuple[int, int, bool]] = []
    rest: list[Expr] = []
    for written in conjuncts(condition):
        term = collapsed(written)
        pair = _pair(term, width)
        if pair is None:
            rest.append(written)
        else:
            pairs.append((*pair, isinstance(term, Call) and term.function != "="))
    left, right, null_safe = (tuple(column) for column in zip(*pairs, strict=True)) if pairs else ((), (), ())
    return EqualColumns(left, right, null_safe, tuple(rest))


def _pair(term: Expr, width: int) -> tuple[int, int] | None:
    """Return the columns of the left and of the right input that a term equates, None for other terms."""
    if not isinstance(term, Call) or term.function not in EQUALITIES:
        return None
    one, other = term.args
    if not isinstance(one, InputRef) or not isinstance(other, InputRef):
        return None
    if (one.index < width) == (other.index < width):
        return None
    low, high = sorted((one.index, other.index))
    return low, high - width


def reads_left_only(expr: Expr, width: int) -> bool:
    """Return whether an expression reads columns of the left input only."""
    read = input_refs(expr)
    return bool(read) and max(read) < width


def reads_right_only(expr: Expr, width: int) -> bool:
    """Return whether an expression reads columns of the right input only."""
    read = input_refs(expr)
    return bool(read) and min(read) >= width
