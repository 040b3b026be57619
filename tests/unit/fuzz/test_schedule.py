"""Which mutator next."""

from __future__ import annotations

import random
from collections import Counter

from lobrest.fuzz.schedule import Bandit


def alpha(seed, context):
    return None


def beta(seed, context):
    return None


def chosen(bandit: Bandit, number: int = 1, times: int = 300) -> Counter:
    chance = random.Random(number)
    return Counter(bandit.choose((alpha, beta), chance).__name__ for _ in range(times))


def test_without_lessons_everybody_gets_a_turn():
    assert min(chosen(Bandit())[name] for name in ("alpha", "beta")) > 90


def test_what_paid_is_chosen_more_often_but_not_alone():
    bandit = Bandit()
    for _ in range(5):
        bandit.told("alpha", success=True)
        bandit.told("beta", success=False)
    counts = chosen(bandit, times=1000)
    assert counts["alpha"] > 600
    assert counts["beta"] > 0


def test_old_lessons_fade():
    """What has paid for long and pays no more loses its lead within some hundred tries."""
    bandit = Bandit()
    for _ in range(2000):
        bandit.told("alpha", success=True)
    for _ in range(1500):
        bandit.told("alpha", success=False)
    for _ in range(60):
        bandit.told("beta", success=True)
    assert bandit.tallies["alpha"].good + bandit.tallies["alpha"].bad <= 401
    assert chosen(bandit)["beta"] > 200


def test_the_same_chance_chooses_the_same():
    assert chosen(Bandit(), 5) == chosen(Bandit(), 5)
