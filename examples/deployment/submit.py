"""The command `firesteel` for spark-submit: spark-submit ... submit.py run job.sql --checkpoint DIR."""

from firesteel.cli.main import command

raise SystemExit(command())
