"""What a description says a value is: the head of its first noun phrase."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lobrest.resources.words import Noun, noun_of
from lobrest.spec.template import word_set

_ARTICLES: Final = word_set(
    "the a an this that these those each any every some its their your our his her one optional"
    " (optional) (required) required new existing current given specified specific target comma-separated"
    " list array of filter by only show returns return get set sets to for use used whose if when"
)
_STOPS: Final = word_set(
    "for in on at to from with by that which who whose where when if is are was will be being can may"
    " must should and or as into than under over within without via per not but used using based belongs"
    " owned associated"
)
_NAMING: Final = word_set(
    "id ids identifier identifiers name names username usernames login index iid uuid sha slug key"
    " path url-encoded internal global numeric unique full string code handle"
)


@lru_cache(maxsize=16384)
def named_things(description: str) -> tuple[Noun, ...]:
    """Nouns that a description could say the value identifies, the likeliest first.

    ``"The base branch for the pull request"`` → branch; ``"ID of the user"`` → user;
    ``"Title of the issue"`` → title: an attribute is not followed to what it belongs to.
    """
    text = re.split(r"[.;:\n]", description.strip().lower(), maxsplit=1)[0]
    text = re.sub(r"\((?:optional|required|deprecated)\)", " ", text)
    words = re.findall(r"[a-z_][a-z0-9_'-]*|[(),]", text)[:24]
    found: list[Noun] = []
    position = 0
    while position < len(words) and (words[position] in _ARTICLES or words[position] in "(),"):
        position += 1
    for _ in range(3):
        phrase: list[str] = []
        while (
            position < len(words)
            and words[position] not in _STOPS
            and words[position] not in ("of", "(", ")", ",")
        ):
            if phrase and words[position] in ("the", "a", "an", "this", "these"):
                break  # "the domain owning the contract" is about a domain
            phrase.append(words[position])
            position += 1
        while phrase and phrase[0] in _ARTICLES:
            phrase.pop(0)
        if not phrase:
            return tuple(found)
        head = phrase[-1]
        if head in _NAMING:
            if len(phrase) > 1:
                rest = [word for word in phrase if word not in _NAMING and word not in _ARTICLES]
                if rest:
                    found.append(noun_of("_".join(rest)))
                    return tuple(found)
            # "id of the user", "id or url-encoded path of the project"
            while position < len(words) and (
                words[position] in ("of", "or", "and") or words[position] in "(),"
            ):
                position += 1
                while position < len(words) and (words[position] in _ARTICLES or words[position] in _NAMING):
                    position += 1
            continue
        found.append(noun_of("_".join(phrase)))
        return tuple(found)
    return tuple(found)
