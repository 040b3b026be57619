"""Mined business flows in the formats of other tools, and one of those formats read back."""
