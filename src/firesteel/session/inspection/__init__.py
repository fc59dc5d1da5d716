"""Operations on the checkpoints of jobs of other processes: state, savepoints, rescales."""
