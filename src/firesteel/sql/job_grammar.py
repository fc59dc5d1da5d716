"""Grammar of SHOW JOBS, DESCRIBE JOB and STOP JOB (Flink: SqlShowJobs, SqlDescribeJob, SqlStopJob)."""

from __future__ import annotations

from firesteel.errors import SourceRange
from firesteel.sql.alter_grammar import AlterGrammar
from firesteel.sql.catalog_statements import DescribeJob, ShowJobs, StopJob


class JobGrammar(AlterGrammar):
    """Reader of the statements about jobs."""

    def show_jobs(self, start: int) -> ShowJobs:
        """Return the statement SHOW JOBS, whose two words have been read. It begins at the offset `start`."""
        return ShowJobs(self.since(start))

    def describe_job(self, start: int) -> DescribeJob:
        """Read `JOB 'id'`. The word DESCRIBE, which begins at the offset `start`, has been read."""
        self.advance()
        id, place = self._id()
        return DescribeJob(self.since(start), id, place)

    def stop_job(self) -> StopJob:
        """Read STOP JOB 'id'.

        Raises:
            NotSupportedError: WITH SAVEPOINT or WITH DRAIN follows.
        """
        start = self.advance().start
        self.expect("JOB")
        id, place = self._id()
        if self.at("WITH"):
            raise self.not_supported(f"STOP JOB WITH {self.ahead(1).word}", self.token)
        return StopJob(self.since(start), id, place)

    def _id(self) -> tuple[str, SourceRange]:
        place = self.token.range
        return self.string("a job's id between single quotes"), place
