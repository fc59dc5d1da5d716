"""The new checkpoint of one statement with another parallelism."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.durability import sync_tree
from firesteel.errors import InternalError, JobError, UsageError
from firesteel.runtime.state.size import StateSize
from firesteel.spark.checkpoint.fingerprint import FILE, MOST_PARTITIONS, SPARK, check_version, read
from firesteel.spark.checkpoint.pending_change import RESCALE
from firesteel.spark.checkpoint.schema_paths import name_own_schemas
from firesteel.spark.internals.checkpoint_files import write_with_few_programs
from firesteel.spark.internals.hash_partitions import key_group_labels
from firesteel.spark.rescale.spark_logs import offsets_with_partitions, set_partitions
from firesteel.spark.rescale.state_move import move_state
from firesteel.spark.savepoint.draft_folder import check_space
from firesteel.spark.savepoint.statement_files import StatementFiles
from firesteel.spark.stream.stored_state import StoredState

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

_MORE = 2
"""Free disk space that a rescale needs, as a multiple of the size of the old checkpoint's files.

One part is for the runs and manifests as files, the other for the new state.
"""


@dataclass(frozen=True)
class RescaledStatement:
    """One statement of a checkpoint, whose files are written again for another parallelism.

    Attributes:
        files: The statement's files as of the last committed micro-batch.
        saved: Content of the statement's file firesteel.json (spark/checkpoint/fingerprint.py).
        after: The new parallelism.
    """

    files: StatementFiles
    saved: dict[str, Any]
    after: int

    @classmethod
    def of(cls, folder: Path, parallelism: int) -> RescaledStatement:
        """Read a statement's folder, and check that the statement can get a new parallelism.

        Nothing is written. `run` writes the new files.

        Args:
            folder: The statement's folder in the checkpoint.
            parallelism: The new parallelism.

        Raises:
            UsageError: No micro-batch has ended, or the checkpoint's max parallelism is below `parallelism`.
            JobError: The checkpoint is damaged.
        """
        saved = read(None, str(folder)) or {}
        check_version(str(folder), saved)
        try:
            files = StatementFiles.of(folder)
        except FileNotFoundError as error:
            raise JobError(
                f"the checkpoint {folder} is damaged: {error.filename} is missing",
                hint="restore the checkpoint from a copy",
            ) from None
        if files.batch < 0:
            raise UsageError(
                f"no micro-batch of the checkpoint {folder} has ended",
                hint="run the job first; or begin with an empty checkpoint folder and set "
                "'parallelism.default'",
            )
        if parallelism > saved["key_groups"]:
            raise UsageError(
                f"the parallelism {parallelism} is above {saved['key_groups']}, the max parallelism of the "
                f"checkpoint {folder}, which it keeps for its life",
                hint="take a lower one; 'pipeline.max-parallelism' sets that of a new checkpoint",
            )
        check_space(folder / RESCALE.draft, _MORE * files.size)
        return cls(files, saved, parallelism)

    @property
    def folder(self) -> Path:
        """Return the statement's folder."""
        return self.files.folder

    @property
    def before(self) -> int:
        """Return the parallelism that the checkpoint has."""
        return int(self.saved["partitions"])

    def run(self, spark: Spark) -> None:
        """Write the new files beside the old ones, check them, and put them in the old files' place.

        Raises:
            JobError: The state cannot be read.
            OSError: The checkpoint cannot be written.
        """
        draft = self.folder / RESCALE.draft
        shutil.rmtree(draft, ignore_errors=True)
        try:
            self._write(spark, draft)
            self._check(spark, draft)
            name_own_schemas(draft, self.folder)
            sync_tree(draft)
            RESCALE.decide(self.folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _write(self, spark: Spark, draft: Path) -> None:
        batch = self.files.batch
        for name in self.files.files:
            if _is_copied(name, batch):
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.folder / name, draft / name)
        for path in (draft / SPARK / "offsets").iterdir():
            text = path.read_text(encoding="utf-8")
            path.write_text(offsets_with_partitions(text, self.after), encoding="utf-8")
        most = max(self.after, self.saved.get(MOST_PARTITIONS, self.before))
        saved = self.saved | {"partitions": self.after, MOST_PARTITIONS: most}
        (draft / FILE).write_text(json.dumps(saved, indent=1, ensure_ascii=False), encoding="utf-8")
        groups = self.saved["key_groups"]
        labels = dict(
            zip(key_group_labels(groups, self.before), key_group_labels(groups, self.after), strict=True)
        )
        for operator in sorted((self.folder / SPARK / "state").glob("[0-9]*")):
            session = spark.session.newSession()
            session.conf.set("spark.sql.shuffle.partitions", str(self.after))
            write_with_few_programs(session, owned=spark.is_owned and spark.is_local)
            to = draft / SPARK / "state" / operator.name
            set_partitions(to, self.after)
            move_state(session, self.folder / SPARK, int(operator.name), batch, labels, to)
        name_own_schemas(draft)

    def _check(self, spark: Spark, draft: Path) -> None:
        """Check that Spark reads the same key groups and all their runs from the new files."""
        if not (draft / SPARK / "state").exists():
            return
        now = StoredState(spark.session.newSession(), str(draft), self.files.batch)
        before = StoredState(spark.session.newSession(), str(self.folder), self.files.batch)
        now.check()
        if _contents(before, self.before) != _contents(now, self.after):
            raise InternalError(f"Spark reads another state from {draft} than from {self.folder}")


def _contents(state: StoredState, parallelism: int) -> dict[tuple[int, int], dict[str, StateSize]]:
    """Return for each (stage, key group) the sizes of its states, by the name of the state."""
    labels = key_group_labels(state.key_groups, parallelism)
    return {
        (each.stage, labels.index(each.label)): {
            name: each.contents.size_by_manifest(name) for name in each.contents.entries
        }
        for each in state.groups
    }


def _is_copied(name: str, batch: int) -> bool:
    """Return whether a file is copied unchanged: Spark's logs up to `batch`, and descriptions of states."""
    parts = name.split("/")
    if parts[0] != SPARK:
        return False
    if parts[1] == "state":
        return parts[3].startswith("_")
    return not parts[-1].isdigit() or int(parts[-1]) <= batch
