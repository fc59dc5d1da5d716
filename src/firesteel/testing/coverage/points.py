"""Points of coverage: branches that a test can take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.changelog import ChangelogMode
from firesteel.runtime.operators.probe.counts import Counts


@dataclass(frozen=True)
class Point:
    """One branch, and the probe that counts the rows which take it.

    Either the row kind of a row shows that it takes the branch, as in "deletes a row" (`kinds`), or the value
    of a CASE, filter or join does (`decision` and `number`).

    Attributes:
        of: Text of the CASE, filter, join, aggregate or table that has the branch.
        branch: Text of the branch.
        probe: Number of the probe.
        decision: Number of the decision among those of the probe; None if `kinds` is used.
        number: Number of the branch in the decision.
        kinds: Row kinds of the rows that take the branch, as numbers (RowKind); () if `decision` is used.
    """

    of: str
    branch: str
    probe: int
    decision: int | None = None
    number: int = 0
    kinds: tuple[int, ...] = ()

    def is_taken(self, counts: Counts) -> bool:
        """Return whether at least one row took the branch."""
        if self.decision is None:
            return any(counts.kinds[self.probe, kind] for kind in self.kinds)
        return counts.branches[self.probe, self.decision, self.number] > 0


def kind_points(probe: int, of: str, mode: ChangelogMode | None) -> Iterator[Point]:
    """Yield a point for each kind of change that a table can send: insert, update, delete.

    Args:
        probe: Number of the probe behind the table.
        of: Name of the table.
        mode: Changelog mode of the table. None if it is not known: then no point is yielded.
    """
    if mode is None:
        return
    if mode.insert:
        yield Point(of, "inserts a row", probe, kinds=(0,))
    if mode.update_after:
        yield Point(of, "updates a row", probe, kinds=(2,) if mode.insert else (0, 2))
    if mode.delete:
        yield Point(of, "deletes a row", probe, kinds=(3,))


class Coverage:
    """The branches of scripts that tests have taken and have not taken."""

    def __init__(self) -> None:
        self._taken: dict[tuple[str, str, str], bool] = {}

    def add(self, script: str, points: list[Point], counts: Counts) -> None:
        """Add the branches of a test. A branch of a script counts as taken if at least one test takes it.

        Args:
            script: Name of the script.
            points: The branches of the test's job.
            counts: Numbers of rows that the probes of this job counted.
        """
        for point in points:
            place = script, point.of, point.branch
            self._taken[place] = point.is_taken(counts) or self._taken.get(place, False)

    def merge(self, other: Coverage) -> None:
        """Add the branches that another Coverage has of other tests."""
        for place, taken in other._taken.items():
            self._taken[place] = taken or self._taken.get(place, False)

    def lines(self) -> list[str]:
        """Return the report: the number of branches taken, and a line for each that was not."""
        if not self._taken:
            return []
        taken = sum(self._taken.values())
        found = [f"branches taken: {taken} of {len(self._taken)}"]
        script = None
        for (name, of, branch), is_taken in self._taken.items():
            if is_taken:
                continue
            if name != script:
                found.append(f"never taken in {name}:")
                script = name
            found.append(f"  {of}: {branch}")
        return found

    @property
    def is_complete(self) -> bool:
        return all(self._taken.values())
