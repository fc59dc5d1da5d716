"""GROUP BY, windows and OVER."""
