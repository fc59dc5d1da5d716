"""Refuse rank functions other than ROW_NUMBER in a Top-N (Flink: StreamExecRank, StreamExecWindowRank)."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.errors import SourceRange, ValidationError
from firesteel.plan.metadata import windows_of_all_rows
from firesteel.plan.tree import Node


def check_rank_function(
    function: str, below: Node, partition: Iterable[int], place: SourceRange | None
) -> None:
    """Raise an error for a rank function that no Top-N supports.

    Args:
        function: Name of the function.
        below: The ranked rows.
        partition: Positions of the columns of PARTITION BY.
        place: Position of the bound on the rank in the query.

    Raises:
        ValidationError: The function is not ROW_NUMBER.
    """
    if function == "ROW_NUMBER":
        return
    windows = windows_of_all_rows(below)
    if windows is not None and windows.grouped(tuple(partition)):
        raise ValidationError(
            f"{function}() function is not supported on Window TopN currently, only ROW_NUMBER() is "
            "supported.",
            range=place,
        )
    raise ValidationError(f"{function}() on streaming table is not supported currently", range=place)
