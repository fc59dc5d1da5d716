"""maxwell-json."""
