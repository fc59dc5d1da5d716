"""Replay of dead letters: messages that could not be read go back into their job."""
