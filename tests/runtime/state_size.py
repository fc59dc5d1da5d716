"""How much an operator keeps."""

from __future__ import annotations

from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.merge import merge


def kept(backend: SortedRunBackend) -> dict[str, int]:
    """By state how many entries are there; what is dead and only waits for a merge is not."""
    found = {}
    for name, (_, levels) in backend._states.items():
        runs = [run for _, run in levels.clipped_runs() if len(run)]
        found[name] = len(merge(runs, True, levels.expiry(levels.now))) if runs else 0
    return {name: count for name, count in found.items() if count}
