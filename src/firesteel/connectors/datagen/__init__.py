"""The datagen connector."""
