"""Output of `firesteel explain` beside a plan: a job's code, and the plans between programs of rules."""
