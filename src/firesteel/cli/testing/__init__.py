"""Commands that test scripts."""
