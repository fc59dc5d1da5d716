"""Only ROW_NUMBER numbers the rows of a Top-N (Flink: StreamExecRank, StreamExecWindowRank)."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel.errors import SourceRange, ValidationError
from firesteel.plan.metadata import windows_of_all_rows
from firesteel.plan.tree import Node


def check_rank_function(
    function: str, below: Node, partition: Iterable[int], place: SourceRange | None
) -> None:
    """Refuse the ranks that no Top-N takes.

    Args:
        function: ROW_NUMBER, RANK or another one.
        below: Where the ranked rows come from.
        partition: Positions of the columns of PARTITION BY.
        place: Where the query bounds the number.

    Raises:
        ValidationError: The function is not ROW_NUMBER; in Flink's words.
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
