"""Inputs of the workloads, made once and kept in the cache folder."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

NAMES = 100_000


def cache() -> Path:
    """`firesteel-bench` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "firesteel-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def canal(events: int, names: int = NAMES) -> Path:
    """A file of canal-json messages: 60 % inserts, 25 % updates of a quantity, 15 % deletes.

    Columns: id BIGINT, name STRING (one of `names`), cnt INT. Every update and delete names a row that is
    there, so the stream is a valid history.
    """
    path = cache() / f"canal-{events}-{names}.json"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8", buffering=1 << 20) as out:
            _write_history(out.write, events, names)
        part.rename(path)
    return path


def _write_history(put: Callable[[str], object], events: int, names: int) -> None:
    rng = random.Random(42)
    live: list[tuple[int, int, int]] = []
    next_id = 1
    for _ in range(events):
        dice = rng.random()
        if dice < 0.6 or not live:
            row = (next_id, int(rng.random() * names), int(rng.random() * 1000))
            next_id += 1
            live.append(row)
            put(_message("INSERT", row, "null"))
            continue
        at = int(rng.random() * len(live))
        row = live[at]
        if dice < 0.85:
            live[at] = (row[0], row[1], int(rng.random() * 1000))
            put(_message("UPDATE", live[at], f'[{{"cnt":"{row[2]}"}}]'))
        else:
            live[at] = live[-1]
            live.pop()
            put(_message("DELETE", row, "null"))


def _message(kind: str, row: tuple[int, int, int], old: str) -> str:
    return (
        f'{{"data":[{{"id":"{row[0]}","name":"name-{row[1]}","cnt":"{row[2]}"}}],"old":{old},'
        f'"type":"{kind}","database":"shop","table":"orders","isDdl":false,"es":1760000000000,"ts":1760000000001}}\n'
    )


def few_lines(lines: int = 20) -> Path:
    """A file that anybody starts with."""
    return canal(lines, 5)
