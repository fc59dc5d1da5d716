"""ogg-json."""
