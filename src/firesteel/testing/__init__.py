"""Tests of scripts: files with the input and the expected changes of queries."""
