"""Rules: windows and OVER."""
