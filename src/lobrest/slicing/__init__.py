"""Stage 2: user queues cut into business flows."""
