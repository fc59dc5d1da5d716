"""The command `firesteel ui`: the web page of the jobs of a checkpoint, whether they run or not."""

from __future__ import annotations

import threading

from firesteel.cli.http_api import JobsApi
from firesteel.cli.metrics_server import Answer
from firesteel.cli.ui import page
from firesteel.errors import FiresteelError
from firesteel.jobs.json_form import Json
from firesteel.session.inspection.saved_jobs import SavedJob, SavedJobs

_OF_LIST = (
    *("id", "name", "label", "state", "phase", "cause", "restarts", "script", "line", "column", "statement"),
    *("created", "ended", "metrics", "records_skipped_by_cause", "saved", "committed"),
)
_FIXED = ("plan", "options")
"""Fields of a job that do not change while it runs."""


class CheckpointApi(JobsApi):
    """Answers to requests of the web page about the jobs of a checkpoint.

    Args:
        saved: Reader of the jobs from the checkpoint's folder.
    """

    def __init__(self, saved: SavedJobs) -> None:
        self._saved = saved

    def answer(self, path: str, query: str = "") -> Answer:
        try:
            return super().answer(path, query)
        except (FiresteelError, OSError) as error:  # the checkpoint was moved away while the page is open
            return Answer(f"{error}\n", status=503)

    def has(self, id: str) -> bool:
        return self._find(id) is not None

    def summaries(self) -> list[Json]:
        jobs = self._saved.jobs().values()
        return [{name: each.job[name] for name in _OF_LIST} for each in jobs]

    def changing(self, id: str) -> Json | None:
        whole = self.details(id)
        return whole and {name: value for name, value in whole.items() if name not in _FIXED}

    def details(self, id: str) -> Json | None:
        found = self._find(id)
        return None if found is None else found.job

    def graph(self, id: str) -> Json:
        found = self._find(id)
        return {} if found is None else found.graph

    def batches(self, id: str) -> list[Json]:
        found = self._find(id)
        return [] if found is None else list(found.batches)

    def _find(self, id: str) -> SavedJob | None:
        return self._saved.jobs().get(id)


def serve_page(checkpoint: str, port: int, host: str | None) -> int:
    """Serve the page of a checkpoint's jobs until a signal ends the command. Return the exit status.

    Args:
        checkpoint: The folder.
        port: The TCP port, 0 for a free one.
        host: Address to listen on, None for the loopback interface.
    """
    feed = CheckpointApi(SavedJobs(checkpoint))
    with page(port, host, as_json=False, feed=feed, option="--port"):
        threading.Event().wait()
    return 0
