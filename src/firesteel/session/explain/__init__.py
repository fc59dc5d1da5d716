"""Output of `firesteel explain` beside the plan: generated code, and plans between optimizer programs."""
