"""Training that a kill can interrupt: spaCy's loop, with checkpoints to go on from."""
