"""Commands about the checkpoint of a job that does not run here."""
