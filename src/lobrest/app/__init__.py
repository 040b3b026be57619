"""The only place where stages meet the world."""
