"""Answers of Flink, which runs in a process of its own (program.py)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel.errors import JobError
from firesteel.spark.launch.java import find_java
from firesteel.testing.flink.requests import Answer, Asked, Request

_PROGRAM = Path(__file__).with_name("program.py")
Watch = Callable[[int, int], None]
"""Function that is called with the number of answered requests and the number of all requests."""
_TELL_SECONDS = 1.0
_SHOWN_LINES = 5
"""Last lines of Flink's stderr in an error."""


@dataclass(frozen=True)
class FlinkRun:
    """Settings with which Flink's process is run.

    Attributes:
        python: Path of a Python that has the package apache-flink.
        jars: Paths of jars with connectors and formats.
        modules: Folder of the modules of functions.
        options: Options to set, by key.
        folder: Folder for files of the exchange with Flink's process.
        watch: Function that is called with the number of answered requests and of all, None for none.
    """

    python: str
    jars: Sequence[str]
    modules: str
    options: Mapping[str, str]
    folder: Path
    watch: Watch | None = None

    def ask(self, asked: Sequence[Asked]) -> tuple[str, list[Answer]]:
        """Return Flink's version and its answer to each statement, merged from the replies to its requests.

        Set `left_out` of a statement if Flink refuses one of its setup requests.

        Raises:
            JobError: Flink's process fails.
        """
        wanted = [request for each in asked for request in (*each.setup, *each.requests)]
        first, *found = self._answers(wanted)
        answers, replies = [], iter(found)
        for each in asked:
            answer = Answer()
            for request in (*each.setup, *each.requests):
                answer.add(self._after_setup(next(replies), request, each))
            answers.append(answer)
        return first["version"], answers

    def _after_setup(self, reply: dict[str, Any], request: Request, asked: Asked) -> dict[str, Any]:
        """Return Flink's reply to a request, or {} if the reply is the error of a setup request.

        After such an error, set `asked.left_out`, so that the statement's rows and plans are not compared. A
        setup request is, for example, the CREATE TABLE of a file that the statement reads.

        Args:
            reply: Flink's reply.
            request: The request.
            asked: The statement of the request.
        """
        if "error" in reply and any(request is each for each in asked.setup):
            asked.left_out = f"Flink does not take the table of a file: {reply['error']}"
            return {}
        return reply

    def _answers(self, wanted: Sequence[Request]) -> list[dict[str, Any]]:
        """Run Flink's process on the requests.

        Return the answers that it writes: one with the version of Flink, then one for each request.
        """
        task, answers = self.folder / "task.json", self.folder / "answers.jsonl"
        told = {"jars": list(self.jars), "options": dict(self.options)}
        task.write_text(json.dumps({**told, "requests": list(wanted)}), encoding="utf-8")
        log = self.folder / "flink.log"
        with log.open("wb") as output:
            command = [self.python, str(_PROGRAM), str(task), str(answers)]
            process = subprocess.Popen(command, stdout=output, stderr=output, env=self._environment())
            status = _wait(process, lambda: self._tell(answers, len(wanted)))
        lines = answers.read_text(encoding="utf-8").splitlines() if answers.exists() else []
        if status or len(lines) != len(wanted) + 1:
            text = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-_SHOWN_LINES:]
            raise JobError("\n".join([f"Flink's process ended with status {status}:", *text]))
        return [json.loads(line) for line in lines]

    def _tell(self, answers: Path, total: int) -> None:
        """Call `watch` with the number of requests that Flink has answered so far, and the number of all."""
        if self.watch is not None:
            lines = answers.read_bytes().count(b"\n") if answers.exists() else 0
            self.watch(max(0, lines - 1), total)  # the first line has the version

    def _environment(self) -> dict[str, str]:
        """Return the environment variables of Flink's process: Firesteel's Java, and the user's modules."""
        java = find_java().executable
        kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "FLINK_HOME")}
        return {**kept, "JAVA_HOME": str(java.parents[1]), "PYTHONPATH": self.modules}


def _wait(process: subprocess.Popen[bytes], tell: Callable[[], None]) -> int:
    """Return the exit status of a process. If the wait is interrupted, end the process.

    Args:
        process: The process.
        tell: Function that is called each second, and at the end.
    """
    try:
        while process.poll() is None:
            tell()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_TELL_SECONDS)
        tell()
        return process.returncode
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
