"""Stage 3: slices to seeds: operations that no log shows, creations that no slice has, values for the rest."""
