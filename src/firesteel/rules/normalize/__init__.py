"""Rules: simplification and normal forms."""
