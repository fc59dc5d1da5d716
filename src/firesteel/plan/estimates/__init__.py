"""Estimates of logical plans without statistics, by which rules choose the cheaper of two plans."""
