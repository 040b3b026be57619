"""What loading and analysing a specification costs, as a multiple of parsing its YAML with the C loader.

    python benchmarks/analysis.py SPEC… [--gold FOLDER] [--rounds N]

Times are CPU seconds of this process, the best of the rounds, so that a busy machine does not change the ratio.
With ``--gold`` the analysis of ``NAME.json`` there is scored too: precision and recall for every part.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import yaml

from lobrest.resources import analyse
from lobrest.resources.document import to_json
from lobrest.spec import BodyFields, Router, load_spec

Result = TypeVar("Result")


def best_of(rounds: int, work: Callable[[], Result]) -> tuple[float, Result]:
    """The least CPU time of several rounds, and the last result."""
    least = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        result = work()
        least = min(least, time.process_time() - began)
    return least, result


def measure(path: Path, rounds: int) -> dict[str, Any]:
    """The times of one document."""
    data = path.read_bytes()
    loader = getattr(yaml, "CSafeLoader", None)
    if loader is None:
        sys.exit("PyYAML was built without libyaml: there is no C loader to compare with")
    parse, _ = best_of(rounds, lambda: yaml.load(data, Loader=loader))
    load, spec = best_of(rounds, lambda: load_spec(data, name=path.name))
    study, model = best_of(rounds, lambda: analyse(spec))
    route, _ = best_of(rounds, lambda: Router(spec))
    flatten, _ = best_of(rounds, lambda: [BodyFields(spec).of(one) for one in spec.operations.values()])
    return {
        "document": path.name,
        "operations": len(spec.operations),
        "resources": len(model.resources),
        "dependencies": len(model.dependencies),
        "warnings": len(spec.warnings),
        "parse_s": parse,
        "load_s": load,
        "analyse_s": study,
        "router_s": route,
        "fields_s": flatten,
        "ratio": (load + study) / parse,
        "result": to_json(model),
    }


def score(row: dict[str, Any], gold: Path) -> str:
    """One line of scores, where a label file of that name is there."""
    labels = gold / f"{Path(row['document']).stem}.json"
    program = gold / "score.py"
    if not labels.is_file() or not program.is_file():
        return ""
    found = importlib.util.spec_from_file_location("gold_score", program)
    if found is None or found.loader is None:
        return ""
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    result, _ = module.score(json.loads(labels.read_text(encoding="utf-8")), row["result"])
    parts = [f"creates {result['creates']['f1']:.3f}", f"retrieves {result['retrieves']['f1']:.3f}"]
    parts += [f"{where} {result['dependencies'][where]['f1']:.3f}" for where in ("path", "query", "body")]
    return "F1: " + ", ".join(parts)


def main() -> None:
    """Print a table, one line a document."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("spec", nargs="+", type=Path)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(f"{'document':<32}{'ops':>6}{'parse s':>9}{'load s':>9}{'analyse s':>11}{'ratio':>8}")
    for path in given.spec:
        row = measure(path, given.rounds)
        times = f"{row['parse_s']:>9.3f}{row['load_s']:>9.3f}{row['analyse_s']:>11.3f}{row['ratio']:>8.2f}"
        print(f"{row['document']:<32}{row['operations']:>6}{times}")
        line = score(row, given.gold) if given.gold else ""
        if line:
            print(f"    {line}")


if __name__ == "__main__":
    main()
