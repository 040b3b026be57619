"""One mutator a file: a function from a seed to a new one, or None where it does not apply."""
