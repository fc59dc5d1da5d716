"""canal-json."""
