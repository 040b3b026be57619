"""One run from fresh state to figures, and the file that keeps them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .cache import Cache, say
from .count import Counted, Fault, Point, count
from .peer import Task, Tool, write_credentials
from .problem import BenchError
from .process import free_port, start
from .proxy import read_log, start_proxy
from .recording import recorded
from .service import Covered, Place, Service, Started
from .specification import Operation, operations, served_at, without

GRACE_SECONDS = 45.0
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """One run that is wanted."""

    service: str
    tool: str
    number: int
    seconds: int

    @property
    def file(self) -> str:
        return f"{self.service}.{self.tool}.{self.seconds}s.{self.number}.json"


@dataclass(frozen=True, slots=True)
class Result:
    """One run that was made."""

    plan: Plan
    operations: tuple[Operation, ...]
    counted: Counted
    coverage: tuple[Covered, ...]
    command: str
    status: int
    last_words: str
    load: float
    """Load of the machine when the run ended: what else was going on."""
    finished: str
    version: str = ""
    """What exactly the tool was."""


def measure(
    service: Service, tool: Tool, plan: Plan, cache: Cache, results: Path, *, coverage: bool, keep_log: bool
) -> Result:
    """Start the service on fresh state, let the tool work for its time, stop everything, count."""
    folder = Path(tempfile.mkdtemp(prefix="lobrest-bench-"))
    folder.chmod(0o755)
    place = Place(cache, folder, free_port(), free_port(), coverage)
    log = folder / "proxy.log"
    children: list[Any] = []
    started: Started | None = None
    try:
        started = service.start(place)
        document = without(started.document, service.held_back)
        listed = operations(document)
        children.append(start_proxy(place, started, log))
        task = task_of(service, started, place, document, plan)
        reason = tool.missing(task)
        if reason:
            raise BenchError(f"{tool.name} cannot run on {service.name}: {reason}")
        log.write_bytes(b"")
        version = tool.version()
        begin = time.time()
        status, words, command = let_work(tool, task)
        load = os.getloadavg()[0]
    finally:
        for child in children:
            child.stop()
        if started is not None:
            started.stop()
    counted = count(read_log(log), listed, started.base_path, start=begin, seconds=plan.seconds)
    covered = service.coverage(place)
    result = Result(
        plan=plan,
        operations=listed,
        counted=counted,
        coverage=covered,
        command=command,
        status=status,
        last_words=words,
        load=load,
        finished=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        version=version,
    )
    results.mkdir(parents=True, exist_ok=True)
    write_result(results / plan.file, result)
    reproducers = task.out / "lobrest" / "bugs"
    if reproducers.is_dir():
        shutil.copytree(reproducers, results / "bugs" / plan.file.removesuffix(".json"), dirs_exist_ok=True)
    if keep_log:
        kept = results / "logs" / plan.file.removesuffix(".json")
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        shutil.copy2(log, kept / "proxy.log")
        shutil.copy2(task.document, kept / "openapi.json")
        shutil.copytree(task.out, kept / "out")
        for output in folder.glob("*.txt"):
            shutil.copy2(output, kept)
    shutil.rmtree(folder, ignore_errors=True)
    return result


def task_of(service: Service, started: Started, place: Place, document: dict[str, Any], plan: Plan) -> Task:
    """What the tool is given, written into the run's folder."""
    given = place.folder / "given"
    out = place.folder / "out"
    given.mkdir()
    out.mkdir()
    path = given / "openapi.json"
    path.write_text(json.dumps(served_at(document, place.proxy, started.base_path)))
    users = given / "users.json"
    write_credentials(users, started.credentials)
    shipped_json = tuple(log for log in started.logs if "json" in log.name)
    shipped_combined = tuple(log for log in started.logs if "json" not in log.name)
    return Task(
        cache=place.cache,
        document=path,
        origin=place.proxy,
        base_path=started.base_path,
        credentials=started.credentials,
        credentials_file=users,
        json_logs=recorded(service, place.cache, "json") or shipped_json,
        combined_logs=recorded(service, place.cache, "combined") or shipped_combined,
        seconds=plan.seconds,
        seed=plan.number,
        out=out,
    )


def let_work(tool: Tool, task: Task) -> tuple[int, str, str]:
    """Run the tool; its exit status, last words and command line. One that overstays is made to end."""
    command = [str(part) for part in tool.command(task)]
    child = start(tool.name, command, output=task.out / "output.txt", folder=task.out)
    try:
        child.popen.wait(task.seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        say(f"{tool.name} overstays its time and is interrupted")
        child.popen.send_signal(signal.SIGINT)
        try:
            child.popen.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(child.popen.pid, signal.SIGKILL)
            child.popen.wait()
    finally:
        child.stop(patience_seconds=10)
    return child.popen.returncode, child.last_words(8), readable(command, task)


def readable(command: list[str], task: Task) -> str:
    """The command line without secrets and without the places of this machine."""
    text = " ".join(command)
    for user in task.credentials:
        text = text.replace(user.value, f"<{user.name}>")
    for path in (task.document, task.credentials_file, *task.json_logs, *task.combined_logs):
        text = text.replace(str(path), path.name)
    text = text.replace(str(task.out), "out").replace(task.origin, "http://service")
    program = command[0]
    return text.replace(program, Path(program).name)


def write_result(path: Path, result: Result) -> None:
    """Keep a result; a file appears whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"format": FORMAT, **asdict(result)}, indent=1))
    part.rename(path)


def read_result(path: Path) -> Result:
    """A kept result."""
    row = json.loads(path.read_bytes())
    if row.pop("format") != FORMAT:
        raise BenchError(f"{path.name} was written by another version", hint="remove it and run again")
    counted = row["counted"]
    return Result(
        plan=Plan(**row["plan"]),
        operations=tuple(Operation(**one) for one in row["operations"]),
        counted=Counted(
            **{
                **counted,
                "faults": tuple(Fault(**one) for one in counted["faults"]),
                "timeline": tuple(Point(**one) for one in counted["timeline"]),
            }
        ),
        coverage=tuple(Covered(**one) for one in row["coverage"]),
        command=row["command"],
        status=row["status"],
        last_words=row["last_words"],
        load=row["load"],
        finished=row["finished"],
        version=row.get("version", ""),
    )
