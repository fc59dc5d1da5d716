"""Commands that read or change the checkpoint of a job that does not run in this process."""
