"""Properties that joins of two inputs derive from their inputs in the same way."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.time_attributes import Positions, TimeAttributes, time_attributes
from firesteel.plan.properties.value_ranges import Range, value_range
from firesteel.plan.tree import Node


# --- keys ----------------------------------------------------------------------------------------
def has_keys_of_inputs(*classes: type[Node]) -> None:
    """Register join classes whose unique keys and upsert keys are those of a regular join."""
    unique_keys.of(*classes)(_unique_keys)
    upsert_keys.of(*classes)(_upsert_keys)


def _unique_keys(node: JoinNode) -> Keys:
    left, right = map(unique_keys, node.inputs)
    return combined_keys(node, left, right, _identifying(node))


def _upsert_keys(node: JoinNode) -> Keys:
    """Return the upsert keys of a join.

    An exchange sends the rows of each input to tasks by the columns that the join equates. Only with a key
    that contains these columns do all changes of a row go to the same task and keep their order. So an
    input's other keys do not count (Flink: FlinkRelMdUpsertKeys.getJoinUpsertKeys).
    """
    equal = node.equal_columns
    left, right = (
        frozenset(key for key in upsert_keys_in_task(side) if set(columns) <= key)
        for side, columns in zip(node.inputs, (equal.left, equal.right), strict=True)
    )
    return combined_keys(node, left, right, _identifying(node))


def upsert_keys_in_task(side: Node) -> Keys:
    """Return the upsert keys of a join's input that are valid among the rows of one task of the join.

    These are all upsert keys of the node below the exchange. The Exchange node itself has fewer: among the
    rows of all tasks, a key is valid only if it contains the columns by which the exchange sends rows.
    Flink: getUpsertKeysInKeyGroupRange.
    """
    return upsert_keys(side.input if isinstance(side, Exchange) else side)


def combined_keys(node: JoinNode, left: Keys, right: Keys, identifying: tuple[Keys, Keys]) -> Keys:
    """Return the keys of a join's rows (Flink: FlinkRelMdUniqueKeys.getJoinUniqueKeys).

    A left key and a right key together are a key. A left key alone is a key if each left row has at most one
    partner and right rows are not padded. The same holds with the sides swapped.

    Args:
        node: The join.
        left: Keys of the left input's rows.
        right: Keys of the right input's rows.
        identifying: Pair (keys of the left input, keys of the right input). They determine whether a row has
            at most one partner. For example, in a join ON l.x = r.id, a left row has at most one partner if
            `id` is a key of the right input. A right row has at most one if `x` is a key of the left input.
    """
    if not node.join_type.has_right_columns:
        return left
    equal = node.equal_columns
    one_partner = contain_key(equal.right, identifying[1]), contain_key(equal.left, identifying[0])
    return joined_keys(node.join_type, node.left_width, left, right, one_partner)


def joined_keys(
    join_type: JoinType, width: int, left: Keys, right: Keys, one_partner: tuple[bool, bool]
) -> Keys:
    """Return the keys of joined rows (Flink: FlinkRelMdUniqueKeys.getJoinUniqueKeys).

    Args:
        join_type: Type of a join whose output has the columns of both inputs.
        width: Number of the left input's columns.
        left: Keys of the left input's rows.
        right: Keys of the right input's rows.
        one_partner: Whether a left row has at most one partner, and whether a right row has.
    """
    moved = frozenset(frozenset(width + i for i in key) for key in right)
    found = {one | other for one in left for other in moved}
    if one_partner[0] and not join_type.pads_left:
        found |= left
    if one_partner[1] and not join_type.pads_right:
        found |= moved
    return frozenset(found)


def _identifying(node: JoinNode) -> tuple[Keys, Keys]:
    left, right = node.inputs
    return unique_keys(left) | upsert_keys(left), unique_keys(right) | upsert_keys(right)


def contain_key(columns: Iterable[int], keys: Keys) -> bool:
    """Return whether some columns contain a key."""
    return any(key <= set(columns) for key in keys)


# --- columns -------------------------------------------------------------------------------------
def has_times_of_inputs(*classes: type[Node]) -> None:
    """Register join classes whose output has the time attributes of both inputs."""
    time_attributes.of(*classes)(_times)


def _times(node: JoinNode) -> TimeAttributes:
    left, right = map(time_attributes, node.inputs)
    if not node.join_type.has_right_columns:
        return left
    width = node.left_width

    def both(positions: Positions, rowtime: bool) -> Iterable[int]:
        return (*positions, *(width + i for i in right.of_kind(rowtime)))

    return left.mapped(both)


def has_ranges_of_inputs(*classes: type[Node]) -> None:
    """Register join classes whose columns have the value ranges of the inputs' columns."""
    value_range.of(*classes)(_range)


def _range(node: JoinNode, column: int) -> Range:
    left, right = node.inputs
    width = len(left.schema)
    return value_range(left, column) if column < width else value_range(right, column - width)
