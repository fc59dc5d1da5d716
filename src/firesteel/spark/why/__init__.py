"""Why a row of a result is as it is: past micro-batches run again, and its history is traced."""
