"""Operations on checkpoints of jobs that do not run here: state, savepoints, rescales."""
