"""What a power cut leaves of folders: what was synced, by the record of all syncs (durability_trace.py)."""

from __future__ import annotations

import json
import os
import random
import shutil
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from firesteel.durability import TRACE
from firesteel.durability_trace import KEPT, SYNCS


@dataclass
class Durable:
    """What of the folders below `top` is on the disk.

    names: of each folder that was synced, with their inodes. sizes: bytes of each synced file, by inode.
    """

    names: dict[Path, dict[str, int]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)


class Disk:
    """A disk that loses what was not synced. The environment of the process names its trace.

    A cut always keeps what was synced. Of the rest a real disk keeps anything: with a chance each file that
    got another name, or was removed, has it or is gone, and the content of a new one is there or empty.
    """

    def __init__(self, trace: Path) -> None:
        self._trace = trace
        self._top = Path()
        self._begun = Durable()
        trace.mkdir(parents=True, exist_ok=True)
        os.environ[TRACE] = str(trace)

    def begin(self, top: Path) -> None:
        """All that is below `top` now is on the disk; what is synced from now on is recorded."""
        self._top = top
        (self._trace / SYNCS).unlink(missing_ok=True)
        shutil.rmtree(self._trace / KEPT, ignore_errors=True)
        (self._trace / KEPT).mkdir()
        self._begun = Durable()
        for folder, _, files in os.walk(top):
            self._begun.names[Path(folder)] = {entry.name: entry.inode() for entry in os.scandir(folder)}
            for name in files:
                path = Path(folder, name)
                self._begun.sizes[path.stat().st_ino] = path.stat().st_size
                os.link(path, self._trace / KEPT / str(path.stat().st_ino))

    def cut(self, to: Path, chance: random.Random, keeps: float) -> None:
        """Build in `to` what is left of `top`. keeps: the chance that something stays that was not synced."""
        durable = self._synced()
        to.mkdir(parents=True)
        self._build(self._top, to, durable, chance, keeps)

    def _synced(self) -> Durable:
        durable = Durable(dict(self._begun.names), dict(self._begun.sizes))
        with suppress(FileNotFoundError):
            for line in (self._trace / SYNCS).read_text().splitlines():
                entry = json.loads(line)
                if "names" in entry:
                    durable.names[Path(entry["path"])] = entry["names"]
                else:
                    durable.sizes[entry["inode"]] = entry["size"]
        return durable

    def _build(self, of: Path, to: Path, durable: Durable, chance: random.Random, keeps: float) -> None:
        synced = durable.names.get(of, {})
        now = {entry.name: entry.inode() for entry in os.scandir(of)} if of.is_dir() else {}
        stays = {inode: chance.random() < keeps for inode in {*synced.values(), *now.values()}}
        left = {n: inode for n, inode in now.items() if synced.get(n) == inode or stays[inode]}
        for name, inode in synced.items():  # a journal has a rename whole or not at all
            if name not in left and not (stays[inode] and (name not in now or inode in now.values())):
                left[name] = inode
        for name, inode in left.items():
            path = of / name
            if path in durable.names or path.is_dir():
                (to / name).mkdir()
                self._build(path, to / name, durable, chance, keeps)
            else:
                content = self._content(path, inode, durable, chance, keeps)
                if content is not None:
                    (to / name).write_bytes(content)

    def _content(
        self, path: Path, inode: int, durable: Durable, chance: random.Random, keeps: float
    ) -> bytes | None:
        """What is in a file of which the name is left: what was synced, else perhaps all, or nothing."""
        if inode in durable.sizes:
            with (self._trace / KEPT / str(inode)).open("rb") as file:
                return file.read(durable.sizes[inode])
        with suppress(FileNotFoundError):
            if chance.random() < keeps and path.stat().st_ino == inode:
                return path.read_bytes()
        return b""
