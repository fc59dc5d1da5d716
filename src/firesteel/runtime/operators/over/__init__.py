"""What OVER aggregates and sorts by time are made of: rows that wait, what is late, frames, results."""
