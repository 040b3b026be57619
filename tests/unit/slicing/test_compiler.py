"""Compiling loops: the same results, wherever compiled code can or cannot be kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lobrest
from lobrest.slicing.compiler import compiled

PROGRAM = """
import sys
import numpy as np
from lobrest.model.slice import Strategy
from lobrest.slicing.columns import gather_queues
from lobrest.slicing.locality import slice_queues

queues = gather_queues(np.arange(4.0), np.zeros(4, np.int32), np.arange(5), np.array([1, 2, 1, 2]))
found = slice_queues(queues, Strategy.MLTS, delta_seconds=9, use_compiler=sys.argv[1] == "yes")
print([members.tolist() for members in found], "numba" in sys.modules)
"""


def run(use_compiler: str, package: Path = Path(lobrest.__file__).parent, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM, use_compiler],
        env={**os.environ, "PYTHONPATH": str(package.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_loop_and_its_inner_functions_are_compiled_once():
    def inner(number: int) -> int:
        return number + 1

    def loop(count: int) -> int:
        total = 0
        for number in range(count):
            total += inner(number)
        return total

    assert compiled(loop, inner)(10) == loop(10)
    assert compiled(loop, inner) is compiled(loop, inner)


def test_small_logs_do_without_the_compiler():
    assert run("no") == "[[0, 2], [1, 3]] False"


def test_no_folder_for_compiled_code(tmp_path: Path):
    """A read-only installation and no usable home: it compiles and keeps nothing."""
    package = tmp_path / "lobrest"
    for part in ("__init__.py", "errors.py", "model", "slicing"):
        origin = Path(lobrest.__file__).parent / part
        if origin.is_dir():
            shutil.copytree(origin, package / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            package.mkdir(exist_ok=True)
            shutil.copy(origin, package / part)
    (package / "slicing" / "__pycache__").write_text("where the folder would be")
    nowhere = tmp_path / "file"
    nowhere.write_text("not a folder")
    assert run("yes", package, HOME=str(nowhere), XDG_CACHE_HOME=str(nowhere)) == "[[0, 2], [1, 3]] True"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "lobrest"]
