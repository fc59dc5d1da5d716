"""Parts of OVER aggregates and sorts by time: waiting rows, late rows, frames, and results."""
