"""Rules: changelog modes."""
