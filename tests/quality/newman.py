"""Newman, the command-line runner of Postman collections, where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

HINT = "newman is not installed (npm install --prefix ~/.cache/lobrest/newman newman)"

_RUN_ALL = """
const newman = require(process.argv[1]);
const variables = JSON.parse(process.env.NEWMAN_VARIABLES);
const results = {};
const next = (files) => {
  if (files.length === 0) { console.log(JSON.stringify(results)); return; }
  const envVar = Object.entries(variables).map(([key, value]) => ({ key, value }));
  newman.run({ collection: require(files[0]), envVar, reporters: [] }, (error, summary) => {
    results[files[0]] = error ? ["error: " + error.message]
      : summary.run.failures.map((one) => one.error.test || one.error.message);
    next(files.slice(1));
  });
};
next(process.argv.slice(2));
"""


def package() -> Path | None:
    """The folder of the package, or None."""
    command = shutil.which("newman")
    places = [Path(command).resolve().parents[1]] if command else []
    places += [Path(os.environ[name]) for name in ("LOBREST_NEWMAN",) if os.environ.get(name)]
    places.append(Path.home() / ".cache/lobrest/newman/node_modules/newman")
    return next((one for one in places if (one / "package.json").is_file() and shutil.which("node")), None)


def failures(collections: list[Path], variables: Mapping[str, str]) -> dict[str, list[str]]:
    """The tests that fail, by collection, all run one after the other."""
    result = subprocess.run(
        ["node", "-e", _RUN_ALL, str(package()), *map(str, collections)],
        env={"PATH": os.environ["PATH"], "NEWMAN_VARIABLES": json.dumps(dict(variables))},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, list[str]] = json.loads(result.stdout.splitlines()[-1])
    return found
