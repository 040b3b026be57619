"""The folder outside the tree where services, tools and results are kept between runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .problem import BenchError


def default_folder() -> Path:
    """``$LOBREST_BENCH_CACHE``, else ``lobrest-bench`` in the user's cache folder."""
    given = os.environ.get("LOBREST_BENCH_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lobrest-bench"


def run_command(
    command: Sequence[str | Path],
    *,
    what: str,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    user: int | None = None,
    hint: str = "",
) -> str:
    """Standard output of a command that has to succeed; its last words are in the error if it does not."""
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            user=user,
            group=user,
            extra_groups=[] if user is not None else None,
            check=False,
        )
    except FileNotFoundError as error:
        raise BenchError(f"{what}: {command[0]} is not installed", hint=hint) from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise BenchError(f"{what} failed with status {done.returncode}: {' | '.join(last)}", hint=hint)
    return done.stdout


@dataclass(frozen=True, slots=True)
class Cache:
    """Everything that is fetched or built once."""

    folder: Path

    def part(self, name: str) -> Path:
        """A subfolder, made when it is missing."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def python(self, name: str, requirements: Sequence[str]) -> Path:
        """The ``bin`` folder of a virtual environment of that name that holds the requirements."""
        home = self.part(name) / "venv"
        stamp = home / "requirements.txt"
        wanted = "\n".join(requirements)
        if stamp.is_file() and stamp.read_text() == wanted:
            return home / "bin"
        say(f"installing {', '.join(requirements)} (once)")
        run_command([sys.executable, "-m", "venv", home], what=f"making the environment of {name}")
        run_command(
            [home / "bin" / "python", "-m", "pip", "install", "--quiet", *requirements],
            what=f"installing {name}",
            hint="is a Python package index reachable?",
        )
        stamp.write_text(wanted)
        return home / "bin"

    def node(self, name: str, packages: Sequence[str]) -> Path:
        """The ``node_modules`` folder of an npm project of that name that holds the packages."""
        home = self.part(name)
        stamp = home / "packages.txt"
        wanted = "\n".join(packages)
        if not (stamp.is_file() and stamp.read_text() == wanted):
            say(f"installing {', '.join(packages)} (once)")
            (home / "package.json").write_text('{"name": "bench", "private": true}\n')
            run_command(
                ["npm", "install", "--no-audit", "--no-fund", "--silent", *packages],
                what=f"installing {name}",
                folder=home,
                hint="needs npm and a package registry",
            )
            stamp.write_text(wanted)
        return home / "node_modules"

    def maven(self, coordinates: str) -> Path:
        """A file of Maven Central: ``group:artifact:version[:classifier][@extension]``, else a jar."""
        name, _, extension = coordinates.partition("@")
        group, artifact, version, *classifier = name.split(":")
        file = "-".join([artifact, version, *classifier]) + "." + (extension or "jar")
        path = self.part("maven") / file
        if path.is_file():
            return path
        say(f"fetching {file} (once)")
        artifact_name = ":".join([group, artifact, version, extension or "jar", *classifier])
        copying = [
            "-Dmdep.useBaseVersion=true",
            f"-DoutputDirectory={path.parent}",
            f"-Dartifact={artifact_name}",
        ]
        run_command(
            ["mvn", "--quiet", "--batch-mode", "dependency:copy", *copying],
            what=f"fetching {file}",
            folder=path.parent,
            hint="needs Maven (Debian: apt install maven)",
        )
        if not path.is_file():
            raise BenchError(f"Maven did not bring {file}")
        return path

    def debian(self, package: str) -> Path:
        """A folder into which a Debian package, and what it needs beyond what is installed, was unpacked.

        Nothing is installed system-wide and no privilege is needed.
        """
        root = self.folder / "debian" / package
        if (root / "done").is_file():
            return root
        hint = f"on another system install {package} by its package manager"
        plan = run_command(
            [
                "apt-get", "install", "--yes", "-qq", "--no-install-recommends", "--print-uris",
                "-o", "Debug::NoLocking=1", package,
            ],
            what=f"looking for the Debian package {package}",
            hint=hint,
        )  # fmt: skip
        names = [line.split()[1].split("_")[0] for line in plan.splitlines() if line.startswith("'")]
        archives = root / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        say(f"fetching the Debian packages {', '.join(names) or package} (once)")
        run_command(
            ["apt-get", "download", "-q", *(names or [package])],
            what=f"fetching {package}",
            folder=archives,
            hint=hint,
        )
        for archive in sorted(archives.glob("*.deb")):
            run_command(["dpkg-deb", "-x", archive, root], what=f"unpacking {archive.name}")
        (root / "done").touch()
        return root

    def program(self, name: str, package: str) -> Path:
        """A program on this machine (the system folders count), else out of its unpacked Debian package."""
        search = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin" + os.pathsep + "/usr/local/sbin"
        found = shutil.which(name, path=search)
        if found:
            return Path(found)
        root = self.debian(package)
        for folder in ("usr/sbin", "usr/bin", "sbin", "bin"):
            if (root / folder / name).exists():
                return root / folder / name
        raise BenchError(f"{name} is neither installed nor in the Debian package {package}")

    def libraries(self, package: str) -> str:
        """A value for ``LD_LIBRARY_PATH`` that finds the libraries of an unpacked package."""
        root = self.folder / "debian" / package
        return os.pathsep.join(sorted({str(file.parent) for file in root.glob("**/*.so*")}))


def say(text: str) -> None:
    """Progress, on standard error: standard output belongs to results."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
