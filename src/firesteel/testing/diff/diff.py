"""Comparison of two scripts over the same input, or of two runs by their checkpoints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import UsageError
from firesteel.testing.diff.side import Side, checkpoint_side, script_side
from firesteel.testing.diff.statement import StatementDiff, compare_statement
from firesteel.testing.verify.inputs import KnownInputs


@dataclass(frozen=True)
class Diff:
    """The comparison of two sides.

    Attributes:
        statements: Comparisons of the statements that both sides have, also of those without a difference.
        only_old: Names of the statements that only the old side has.
        only_new: Names of the statements that only the new side has.
    """

    statements: Sequence[StatementDiff]
    only_old: Sequence[str]
    only_new: Sequence[str]

    @property
    def is_same(self) -> bool:
        """Whether both sides have the same statements, with the same plans, columns and rows."""
        return not (self.only_old or self.only_new or any(each.is_different for each in self.statements))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        for each in self.statements:
            yield from each.lines()
        yield from (f"{name}: only on the old side" for name in self.only_old)
        yield from (f"{name}: only on the new side" for name in self.only_new)


def diff(
    scripts: Sequence[str],
    checkpoints: Sequence[str],
    *,
    define: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> Diff:
    """Compare two sides: two scripts, two checkpoints, or a checkpoint and a script.

    Of two scripts or two checkpoints, the first one is the old side. Of a checkpoint and a script, the
    checkpoint is the old side. A checkpoint stands for the script that it keeps. The rows that are read
    depend on the sides:

    - Two scripts: the sources are read up to their present end. A table that both scripts define in the same
      way is read once.
    - A checkpoint and a script: the checkpoint's script reads the sources up to the end of the checkpoint's
      last micro-batch. Of a table that both define in the same way, the other script reads the same rows.
    - Two checkpoints: each script reads the sources up to the end of its own checkpoint's last micro-batch.

    Args:
        scripts: Paths of scripts.
        checkpoints: Folders of checkpoints.
        define: Values of `${NAME}` in the scripts.
        settings: Options to set, by key.

    Raises:
        UsageError: There are not two sides, or one has no query and no INSERT.
        FiresteelError: A script is wrong, or a source cannot be read.
    """
    if len(scripts) + len(checkpoints) != 2:
        raise UsageError(
            f"two sides are compared, got {len(scripts) + len(checkpoints)}",
            hint="firesteel diff OLD.sql NEW.sql; a side may be --checkpoint DIR instead",
        )
    loaded = [script_side(Path(path), define or {}, settings or {}) for path in scripts]
    text = loaded[0][1] if loaded else None
    runs = [checkpoint_side(folder, settings or {}, text) for folder in checkpoints]
    old, new = [*runs, *(side for side, _ in loaded)]
    shared = KnownInputs()
    known = (KnownInputs(), KnownInputs()) if len(runs) == 2 else (shared, shared)
    return _compared((old, new), known)


def _compared(sides: tuple[Side, Side], known: tuple[KnownInputs, KnownInputs]) -> Diff:
    old, new = (dict(side.targets()) for side in sides)
    found = []
    for key in new:
        if key in old:
            planned = (sides[0].script.planned(old[key]), sides[1].script.planned(new[key]))
            found.append(compare_statement(_shown(key), sides, planned, known))
    return Diff(
        found,
        [_shown(key) for key in old if key not in new],
        [_shown(key) for key in new if key not in old],
    )


def _shown(key: tuple[str, int]) -> str:
    """Return the name of a statement for the report, without the default catalog and database.

    `key` is (name, n) of `Side.targets`. The second statement with a name is shown as `name (2)`.
    """
    name, number = key
    name = name.removeprefix("default_catalog.default_database.")
    return f"{name} ({number + 1})" if number else name
