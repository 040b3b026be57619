"""Settings for all property tests."""

from __future__ import annotations

from hypothesis import settings

# A busy machine and a loop that compiles on its first call are no failures.
settings.register_profile("lobrest", deadline=None)
settings.load_profile("lobrest")
