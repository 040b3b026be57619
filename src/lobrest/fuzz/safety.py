"""Operations that would end the party: recognised by what they say they do, and held back unless allowed.

Held back is what reaches beyond the things a campaign makes for itself: the session or account in use, the
service as a whole, everything of a kind at once, people outside, money. The same word about one thing that
can be created (``POST /containers/{id}/restart``) is ordinary business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from lobrest.model.operation import READS, ApiSpec, Location, Method, Operation, OperationId

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD: Final = re.compile(r"[^a-z0-9]+")
_HOLE: Final = re.compile(r"\{[^{}]*\}")
_FILTERS: Final = re.compile(
    r"^_?(limit|sort|order|page|per ?page|offset|since|before|after|filter|q|query)$"
)
_IDENTIFIES: Final = re.compile(
    r"(^|[a-z0-9_-])(id|ids|uuid|guid|key|slug|name|email|login|code|number)$", re.I
)

LOGOUT: Final = re.compile(r"\b(log ?(out|off)|sign ?out|end session)\b")
_OWN: Final = re.compile(r"^(me|self|myself|current|current user|whoami|my account|my profile)$")
_OWN_ALONE: Final = re.compile(r"^(user|account|profile|session|token|login|auth|identity)$")
_KEYS: Final = re.compile(r"\b(o?auth2?|tokens?|sessions?|credentials?|api keys?|accounts?|users?)\b")
_ENDS_IT: Final = re.compile(
    r"^(revoke|rotate|regenerate|invalidate|expire|delete|remove|close|deactivate|disable|suspend|erase|cancel)"
    r"( (all|account|token|session|me))?$"
)
_PASSWORD: Final = re.compile(r"\b(change|update|set)( (my|own|user|your))* password\b|\bpassword change\b")
_SECOND_FACTOR: Final = re.compile(r"\b(totp|otp|2fa|mfa|two factor|webauthn|fido2?|passkeys?)\b")
_ONLY_ASKS: Final = re.compile(r"\b(verify|validate|check|login|challenge|status)\b")
_STOPS: Final = re.compile(
    r"\b(shut ?down|power ?off|reboot|restart|halt|terminate|kill|quit|factory reset|self destruct)\b"
)
_STOPS_FIRST: Final = re.compile(
    r"^(shut ?down|shuts down|power ?off|reboot|restart|halt|kill|factory reset|self destruct"
    r"|(stop|terminate|quit) (the )?(server|service|system|application|app|instance|node|daemon|process))s?\b"
)
_MAINTENANCE: Final = re.compile(r"\bmaintenance mode\b")
_DELETES: Final = r"(delete|remove|destroy|purge|erase|wipe|truncate|drop)s?"
_MANY: Final = r"(all|bulk|batch|mass|many|multiple|everything)"
_AT_ONCE: Final = re.compile(rf"\b({_DELETES} {_MANY}|{_MANY} {_DELETES}|(clear|flush) all|drop database)\b")
_EMPTIES: Final = re.compile(
    r"^(reset|wipe|purge|truncate|erase|flush|flushdb"
    r"|(purge|flush|reset|wipe|clear) (all|everything|db|database|data|state))$"
)
_MAILS: Final = r"(e?mails?|sms|newsletters?|invitations?|invites?)"
_SENDS: Final = re.compile(
    rf"\b(re)?send( \w+){{0,4}} {_MAILS}\b|\b{_MAILS}( \w+)? (re)?send\b"
    r"|\b(forgot(ten)?|lost) password\b|\brequest( \w+)? password reset\b|\bpassword (e?mail|reminder)\b"
    r"|\bresend( \w+)? (confirmation|verification|activation|code|otp|link)\b"
)
_SAYS_IT_SENDS: Final = re.compile(
    r"(?:^|[.!]\s+|\n\s*)(?:re)?(?:sends?|e-?mails?|invites?|notif(?:y|ies))\b[^.\n]{0,80}"
    r"\b(?:e-?mails?|sms|text messages?)\b",
    re.IGNORECASE,
)
_PAYS: Final = re.compile(
    r"^(pay|repay|prepay)(?! (grade|scale|rate|period|type|method|code|slip|roll))\b"
    r"|^(re)?charge( (card|customer|account|now))?$|^(refund|payout|pay out|withdraw|purchase)( \w+)?$"
    r"|\b(transfer|send) (funds|money)\b"
)
_MONEY: Final = re.compile(
    r"^(payment|charge|refund|payout|withdrawal|purchase|payment intent|transaction fee)s?$"
)
_MOVES: Final = re.compile(
    r"\b(transfers?|deposits?|withdraw(al)?s?|top ?up|payments?|payouts?|checkout|billing)\b"
)
_AMOUNTS: Final = re.compile(r"^(amount|currency|iban|card number|cvv|cvc|account number)$")

_SESSION: Final = "could end the session"
_SERVICE: Final = "could stop the service"
_ACCOUNT: Final = "could delete or lock the account or token in use"
_EVERYTHING: Final = "could delete everything at once"
_OUTSIDE: Final = "could send mail"
_BILL: Final = "could move money"


def held_back(
    spec: ApiSpec,
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    allow: Iterable[str] = (),
) -> Mapping[OperationId, str]:
    """Operations not to be sent, each with the reason.

    ``include`` and ``exclude`` are patterns over ``METHOD /path``, paths, tags and methods;
    ``allow`` lets through what would be held back for safety.
    """
    only, never, allowed = tuple(include), tuple(exclude), tuple(allow)
    found: dict[OperationId, str] = {}
    for operation in spec.operations.values():
        if only and not _matches(operation, only):
            found[operation.id] = NOT_INCLUDED
        elif _matches(operation, never):
            found[operation.id] = EXCLUDED
        elif not _matches(operation, allowed):
            reason = danger(operation, spec)
            if reason is not None:
                found[operation.id] = reason
    return found


NOT_INCLUDED: Final = "not included"
EXCLUDED: Final = "excluded"


@dataclass(frozen=True, slots=True)
class _Said:
    """What an operation says about itself, in plain words."""

    segments: tuple[str, ...]
    """Of the path, a parameter as ``{}``."""
    name: str
    summary: str

    @property
    def last(self) -> str:
        """The last segment that is a word."""
        return next((one for one in reversed(self.segments) if one != "{}"), "")

    @property
    def ends_with_word(self) -> bool:
        return bool(self.segments) and self.segments[-1] != "{}"

    @property
    def has_parameter(self) -> bool:
        return "{}" in self.segments

    @property
    def all(self) -> tuple[str, str, str]:
        """Path, name and summary."""
        return " ".join(self.segments), self.name, self.summary


def danger(operation: Operation, spec: ApiSpec) -> str | None:
    """Why an operation is held back by default, or None."""
    said = _Said(
        tuple("{}" if "{" in part else _words(part) for part in operation.template.split("/") if part),
        _words(operation.operation_id),
        _words(operation.summary),
    )
    if LOGOUT.search(said.last) or (any(map(LOGOUT.search, said.all)) and operation.method not in READS):
        return _SESSION
    if any(map(_SENDS.search, said.all[:2])) and operation.method not in READS:
        return _OUTSIDE
    if _SENDS.search(said.summary) or _SAYS_IT_SENDS.search(
        f"{operation.summary}\n{operation.description[:400]}"
    ):
        return _OUTSIDE
    if operation.method in READS:
        return None
    return (
        _stops(said, operation, spec)
        or _own_account(said, operation)
        or _at_once(said, operation, spec)
        or _money(said, operation, spec)
    )


def _stops(said: _Said, operation: Operation, spec: ApiSpec) -> str | None:
    ends = said.ends_with_word and (_STOPS.search(said.last) or said.last == "maintenance")
    if _MAINTENANCE.search(" ".join(said.all)):
        return _SERVICE
    if not ends and not any(_STOPS_FIRST.search(one) for one in said.all[1:]):
        return None
    return None if _is_about_a_thing(operation, spec) else _SERVICE


def _is_about_a_thing(operation: Operation, spec: ApiSpec) -> bool:
    """Does it act on one thing of a kind that can be created?"""
    collection = operation.template.rpartition("/{")[0]
    if not collection:
        return False
    makers = {
        OperationId(f"{method} {path}")
        for method in ("POST", "PUT")
        for path in (collection, collection + "/")
    }
    return not makers.isdisjoint(spec.operations)


def _own_account(said: _Said, operation: Operation) -> str | None:
    last, before = said.last, said.segments[:-1]
    alone = not said.has_parameter
    if operation.method is Method.DELETE and said.ends_with_word:
        if _OWN.match(last) or (alone and _OWN_ALONE.match(last)):
            return _ACCOUNT
    elif said.ends_with_word and _ENDS_IT.match(last):
        owned = any(_OWN.match(one) for one in before)
        about_keys = alone and any(_KEYS.search(one) for one in before[-1:])
        if owned or about_keys:
            return _ACCOUNT
    if not alone:
        return None
    by_token = "reset" in said.all[0]  # a forgotten password, changed by whoever got the mail
    if any(map(_PASSWORD.search, said.all)) and not by_token:
        return _ACCOUNT
    if operation.method is Method.DELETE:
        return None
    asks = any(map(_ONLY_ASKS.search, said.all))
    return _ACCOUNT if _SECOND_FACTOR.search(said.all[0]) and not asks else None


def _at_once(said: _Said, operation: Operation, spec: ApiSpec) -> str | None:
    if said.has_parameter:
        return None
    named = _names_what(operation, spec)
    if operation.method is Method.DELETE:
        path = operation.template.rstrip("/")
        items = f"{path}/{{"
        holds = said.last.endswith("s") or any(
            one.template.startswith(items) for one in spec.operations.values()
        )
        told = any(map(_AT_ONCE.search, said.all))
        return _EVERYTHING if said.segments and (holds or told) and not named else None
    people = re.search(r"\b(users?|accounts?|people|members?)\b", said.all[0])
    deletes = any(re.search(rf"^{_DELETES}\b", one) for one in (said.last, *said.all[1:]))
    if people and deletes and not re.search(r"\b(user|account|member)\b", said.last):
        return _EVERYTHING
    empties = _EMPTIES.match(said.last) and "password" not in said.all[0]
    if any(map(_AT_ONCE.search, said.all)) or (empties and said.ends_with_word):
        return None if named else _EVERYTHING
    return None


def _names_what(operation: Operation, spec: ApiSpec) -> bool:
    """Does the request have to say which things it is about?"""
    queries = [one for one in operation.parameters if one.ref.location is Location.QUERY]
    if any(one.required for one in queries):
        return True
    filters = any(_FILTERS.match(_words(one.ref.pointer)) for one in queries)
    if not filters and any(_IDENTIFIES.search(one.ref.pointer) for one in queries):
        return True
    if operation.body is None:
        return False
    preferred = operation.body.preferred()
    schema = spec.resolve(preferred[1]) if preferred else {}
    if operation.method is Method.DELETE:
        return True
    return bool(schema.get("required")) or schema.get("type") == "array"


def _money(said: _Said, operation: Operation, spec: ApiSpec) -> str | None:
    if (said.ends_with_word and _PAYS.search(said.last)) or any(map(_PAYS.search, said.all[1:])):
        return _BILL
    if operation.method is Method.POST and said.ends_with_word and _MONEY.match(said.last):
        return _BILL
    if _MOVES.search(said.last) and any(map(_AMOUNTS.match, _body_names(operation, spec))):
        return _BILL
    return None


def _body_names(operation: Operation, spec: ApiSpec) -> list[str]:
    preferred = operation.body.preferred() if operation.body else None
    properties = spec.resolve(preferred[1]).get("properties") if preferred else None
    return [_words(name) for name in properties] if isinstance(properties, dict) else []


def _words(text: str) -> str:
    """``logOut_now`` → ``log out now``."""
    return _NO_WORD.sub(" ", _CAMEL.sub(" ", text).lower()).strip()


def allowed(spec: ApiSpec, patterns: Iterable[str]) -> frozenset[OperationId]:
    """Operations that the user lets through whatever they do."""
    wanted = tuple(patterns)
    return frozenset(one.id for one in spec.operations.values() if _matches(one, wanted))


def _matches(operation: Operation, patterns: tuple[str, ...]) -> bool:
    names = (
        operation.id,
        operation.template,
        operation.method.value,
        operation.operation_id,
        *operation.tags,
    )
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)
