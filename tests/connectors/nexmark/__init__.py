"""Tests of the nexmark connector."""
