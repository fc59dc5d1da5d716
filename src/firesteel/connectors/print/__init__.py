"""The print connector."""
