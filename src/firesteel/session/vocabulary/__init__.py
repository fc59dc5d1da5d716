"""The words that a statement may use: what completion in the shell offers."""
