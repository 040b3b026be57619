"""Stage 4: seeds, mutated and played against a live service. Pure: state in, decisions out."""
