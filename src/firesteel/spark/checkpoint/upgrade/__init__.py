"""Files of an upgrade in a checkpoint."""
