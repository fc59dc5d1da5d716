"""The nexmark connector."""
