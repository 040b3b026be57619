from __future__ import annotations

import os
from pathlib import Path

import pytest

from lobrest.errors import StoreError
from lobrest.store.lock import FolderLock


def test_only_one_may_hold_it(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock", source="here")
    with pytest.raises(StoreError, match=rf"here: is in use by another campaign \(process {os.getpid()}\)"):
        FolderLock(tmp_path / "lock", source="here")
    lock.release()
    FolderLock(tmp_path / "lock", source="here").release()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        FolderLock(tmp_path / "no" / "lock", source="here")
