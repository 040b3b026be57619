"""The paper's three algorithms, line by line: slow on purpose, obviously right, never imported by lobrest.

The numbers at the right are the lines of Algorithm 1 (MLTS), 2 (STWS) and 3 (RCSC) of arXiv 2604.08007.
Where the pseudo-code leaves a choice it is read as METHOD says: ``Q`` is a set whose smallest index is taken,
``S`` is a set, and σ begins anew with each start (line 1 alone would glue all slices into one).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Instance = TypeVar("Instance", bound=Hashable)
Parameter = TypeVar("Parameter", bound=Hashable)
Indices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What slicing looks at: t_e and I_e."""

    time: float
    instances: frozenset[int]


def mlts(E: Sequence[Request], delta: float) -> list[Indices]:
    """Algorithm 1: slices as indices into the queue, in the order they are found."""
    S: list[Indices] = []
    V: set[int] = set()
    Q: set[int] = {0} if E else set()  # 1
    while Q:  # 2
        s = min(Q)
        Q.remove(s)
        shared, t_prev, sigma = E[s].instances, E[s].time, [s]  # 3
        for i in range(s + 1, len(E)):  # 4
            t_curr = E[i].time  # 5
            if t_curr - t_prev > delta:  # 6
                if i not in V:  # 7
                    Q.add(i)
                break
            if not E[i].instances & shared:  # 8
                if i not in V:  # 9
                    Q.add(i)
            else:  # 10
                sigma.append(i)  # 11
                shared = shared | E[i].instances
                t_prev = t_curr
        if sigma:  # 14
            if tuple(sigma) not in S:
                S.append(tuple(sigma))
            V |= set(sigma)
    return S  # 17


def stws(E: Sequence[Request], delta: float) -> list[Indices]:
    """Algorithm 2: slices as indices into the queue, in the order they are found."""
    S: list[Indices] = []
    V: set[int] = set()
    Q: set[int] = {0} if E else set()  # 1
    while Q:  # 2
        s = min(Q)
        Q.remove(s)
        shared, t_win, sigma = E[s].instances, E[s].time, [s]  # 3
        for i in range(s + 1, len(E)):  # 4
            if E[i].time - t_win > delta:  # 5
                if i not in V:  # 6
                    Q.add(i)
                break
            if not E[i].instances & shared:  # 7
                if i not in V:  # 8
                    Q.add(i)
            else:  # 9
                sigma.append(i)  # 10
                shared = shared | E[i].instances
        if sigma:  # 13
            if tuple(sigma) not in S:
                S.append(tuple(sigma))
            V |= set(sigma)  # 14
    return S  # 17


@dataclass(frozen=True, slots=True)
class BoundRequest(Generic[Instance, Parameter]):
    """What completion looks at: I_e, and Φ_e without the parameters it maps to None."""

    instances: frozenset[Instance]
    phi: Mapping[Parameter, Instance]


@dataclass(frozen=True, slots=True)
class Completed(Generic[Instance, Parameter]):
    """σ′ and Φ_σ′: a parameter of the entry at one position takes its value from the entry at another."""

    entries: tuple[BoundRequest[Instance, Parameter], ...]
    phi: Mapping[tuple[int, Parameter], int]
    created: tuple[Instance, ...]
    """What the entries in front create, in their order."""


def rcsc(
    sigma: Sequence[BoundRequest[Instance, Parameter]],
    *,
    create_entry: Callable[[Instance], BoundRequest[Instance, Parameter]],
    layer_order: Callable[[Instance], tuple[int, str]],
) -> Completed[Instance, Parameter]:
    """Algorithm 3. ``layer_order`` sorts an instance: its layer counted from the root, then anything fixed.

    A parameter of a creation entry whose instance the slice does not know stays unmapped: the pseudo-code
    looks up ``I_map`` without asking whether it is there.
    """
    E_new: list[BoundRequest[Instance, Parameter]] = []  # 1
    I_map: dict[Instance, int] = {}  # 2
    phi: dict[tuple[int, Parameter], int] = {}  # 3
    I_sigma = {instance for entry in sigma for instance in entry.instances}  # 4
    for instance in sorted(I_sigma, key=layer_order):  # 5
        e_new = create_entry(instance)  # 6
        I_map[instance] = len(E_new)  # 7
        E_new.append(e_new)
    completed = (*E_new, *sigma)  # 9
    for position, entry in enumerate(completed):  # 10
        for parameter, instance in entry.phi.items():  # 11
            if instance in I_map:
                phi[position, parameter] = I_map[instance]  # 12
    return Completed(entries=completed, phi=phi, created=tuple(I_map))  # 15
