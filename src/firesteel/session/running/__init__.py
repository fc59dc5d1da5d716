"""The run of a job: its host, its checks before the start, its attempts."""
