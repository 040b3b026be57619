"""Settings for all property tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A busy machine and a loop that compiles on its first call are no failures.
# New inputs are for whoever works on the code; a run that decides about a change tries the same ones every time.
settings.register_profile("lobrest", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
# 25 properties of the log readers × 4,000: pytest tests/property/test_readers.py --hypothesis-profile=many
settings.register_profile("many", deadline=None, max_examples=4_000, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "lobrest")
