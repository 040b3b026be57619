"""Oracles: what is wrong with an answer besides a 5XX. One file each; ``catalogue`` writes them out."""
