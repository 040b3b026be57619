"""The families of mutators are complete: one that no family has would never run."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from lobrest.fuzz import catalogue, mutators


def test_every_mutator_is_in_a_family_and_named_once():
    declared = set()
    for module in pkgutil.iter_modules(mutators.__path__):
        found = importlib.import_module(f"{mutators.__name__}.{module.name}")
        for name, one in inspect.getmembers(found, inspect.isfunction):
            parameters = list(inspect.signature(one).parameters)
            if one.__module__ == found.__name__ and parameters == ["seed", "context"] and name != "late_step":
                declared.add(one)
    families = [
        value for name, value in vars(catalogue).items() if name.isupper() and isinstance(value, tuple)
    ]
    assert {one for family in families for one in family if callable(one)} >= declared - {
        one for one in declared if one.__name__.startswith("_")
    }
    for family in families:
        assert len(set(family)) == len(family)
