"""What `firesteel explain` prints beside a plan: a job's code, and how the optimizer came to it."""
