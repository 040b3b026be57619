"""The grammar of API names: words, singular forms, verbs, identifier suffixes, roles of people."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from lobrest.spec.template import name_words, word_set

Noun = tuple[str, ...]
"""A name as singular words: ``merge_requests`` → ("merge", "request")."""

CREATING: Final = word_set(
    "create creates creating add adds adding new register registers signup insert inserts post upload"
    " uploads import imports fork forks clone clones copy copies duplicate duplicates generate generates"
    " migrate migrates make makes publish publishes save saves store stores book open opens place places"
    " submit submits persist define defines provision provisions subscribe subscribes enroll enrol issue"
    " issues record records schedule schedules spawn build builds launch launches compose invite invites"
)
"""Verbs of operations that make something. Weak ones (issue, record, build …) are nouns as well."""

STRONG_CREATING: Final = word_set(
    "create creates add adds new register insert upload uploads import fork forks clone generate make"
)

ACTING: Final = word_set(
    "update updates edit edits modify modifies set sets change changes rename renames delete deletes"
    " remove removes get gets fetch fetches list lists search searches find finds query queries count"
    " counts check checks test tests validate validates verify verifies render renders run runs rerun"
    " reruns retry retries restart restarts resume stop stops start starts cancel cancels abort approve"
    " approves reject rejects accept accepts decline declines merge merges sync syncs synchronize"
    " synchronise star stars unstar unstars share shares unshare archive archives unarchive unarchives"
    " lock locks unlock pin pins unpin resolve resolves unresolve dismiss dismisses undismiss login logout"
    " authenticate authorize refresh reset resets send sends link links unlink unlinks transfer transfers"
    " move moves mark marks read reads enable enables disable disables activate activates deactivate"
    " toggle convert trigger triggers allow allows restore restores block unblock ban unban promote demote"
    " follow unfollow preview compare diff export exports download downloads calculate compute evaluate"
    " filter read apply applies rebase revert undo redo assign unassign attach detach close closes reopen"
    " reopens subscribe unsubscribe confirm clear clears purge flush ping notify rotate revoke regenerate"
    " suspend unsuspend freeze play pause erase reorder sort replace replaces upsert pay prune"
    " housekeeping reload poll bulk batch return returns retrieve retrieves cherry cherrypick annotate"
    " heartbeat touch acknowledge ack unassign skip rank resend impersonate invalidate favorite unfavorite"
    " favourite reject decrement increment terminate signal pull push claim release extend renew stale"
    " revive perform execute request requests switch select deselect merge-upstream reassign rollback"
    " dispatch duplicate-check submit-check put patch ensure handle process use reuse spam unspam"
    " unpublish undelete take takes give gives grant grants withdraw withdraws"
)
"""Verbs of operations that act on what is there, or only look."""

CHANGING: Final = word_set(
    "update updates edit edits modify modifies set sets change changes rename renames delete deletes"
    " remove removes replace replaces reorder"
)

READING: Final = word_set(
    "get gets list lists fetch fetches retrieve retrieves returns return read reads find show"
)

MAKING_SEGMENTS: Final = word_set("save create add new insert register store persist import upload")
"""Last path segments that make one of what the collection before them holds."""

VIEWS: Final = word_set(
    "search find query filter list all pinned latest recent active current mine me own new save create"
    " add insert register import migrate generate upload bulk batch copy clone fork public private popular"
    " open closed count existing lookup paginated advanced simple sync check validate default"
)
"""Last path segments that name a way of looking at, or of making, what the segment before names."""

IDENTIFIERS: Final = word_set(
    "id ids iid iids uuid uuids guid guids uid pk key keys slug slugs name names number numbers no nr num"
    " code codes index identifier identifiers handle ref sha login email token oid eui path title hash"
    " value url uri"
)
"""Words that say how a thing is named, not which thing."""

ID_SUFFIXES: Final = word_set(
    "id ids iid iids uuid uuids guid guids pk slug slugs name names number numbers key keys code codes"
    " identifier identifiers handle login logins"
)

GENERIC: Final = IDENTIFIERS | word_set(
    "item object instance entity resource thing record element entry param it this"
)

PEOPLE: Final = word_set(
    "user username account member person people owner author assignee creator reviewer actor poster"
    " uploader approver participant sender recipient committer editor maintainer collaborator assigner"
    " reporter requester subscriber follower starrer stargazer watcher doer principal operator customer"
    " employee usr login contributor"
)
"""Roles that people have: a parameter of this name names one of them."""

ATTRIBUTES: Final = word_set(
    "status state type kind time date content message description title version language permission role"
    " event setting reaction feed activity email phone url uri address color colour size count limit page"
    " order sort note body text label_color visibility access level format mode option value subscription"
    " notification statistic stat metric log history search query filter field scope attribute property"
    " data info detail timezone locale theme summary password secret avatar icon link reason priority"
    " weight score rating position timestamp duration interval"
)
"""Nouns that are properties of things more often than things one refers to."""

DATES: Final = word_set("year month week day date hour minute quarter timestamp time")
"""What says when, not what."""

ACTORS: Final = (
    "user",
    "account",
    "member",
    "person",
    "principal",
    "customer",
    "employee",
    "profile",
    "agent",
    "admin",
)
"""Nouns of resources whose instances act, the most telling first."""

_DECORATIONS: Final = word_set(
    "dto res response entity entities api basic simple details detail detailed summary info model schema"
    " view out in read base full minimal short meta data object result results output list collection"
    " paged paginated array payload body json resource v1 v2 v3 exposed public create update patch created"
    " updated new existing core nested compact extended ext light lite the a an of for"
)
_ABBREVIATIONS: Final = {
    "repo": "repository",
    "org": "organization",
    "organisation": "organization",
    "env": "environment",
    "config": "configuration",
    "conf": "configuration",
    "app": "application",
    "dept": "department",
    "emp": "employee",
    "proj": "project",
    "msg": "message",
    "img": "image",
    "doc": "document",
    "cat": "category",
    "usr": "user",
    "mr": "merge request",
    "pr": "pull request",
    "param": "parameter",
    "attr": "attribute",
    "dir": "directory",
    "cmd": "command",
    "perm": "permission",
    "temp": "template",
    "tpl": "template",
    "ver": "version",
    "db": "database",
    "cert": "certificate",
    "sub": "subscription",
    "txn": "transaction",
    "tx": "transaction",
    "acct": "account",
    "addr": "address",
    "var": "variable",
    "ns": "namespace",
    "ws": "workspace",
    "grp": "group",
    "cfg": "configuration",
    "def": "definition",
    "prod": "product",
    "loc": "location",
    "notif": "notification",
}
_IRREGULAR: Final = {
    "people": "person",
    "ids": "id",
    "ips": "ip",
    "prs": "pr",
    "mrs": "mr",
    "children": "child",
    "men": "man",
    "women": "woman",
    "mice": "mouse",
    "data": "data",
    "media": "media",
    "news": "news",
    "series": "series",
    "species": "species",
    "indices": "index",
    "indexes": "index",
    "matrices": "matrix",
    "vertices": "vertex",
    "criteria": "criterion",
    "analyses": "analysis",
    "bases": "base",
    "databases": "database",
    "statuses": "status",
    "aliases": "alias",
    "viruses": "virus",
    "buses": "bus",
    "campuses": "campus",
    "bonuses": "bonus",
    "leaves": "leave",
    "caches": "cache",
    "movies": "movie",
    "cookies": "cookie",
    "archives": "archive",
    "axes": "axis",
    "lenses": "lens",
    "kubernetes": "kubernetes",
    "https": "https",
    "cors": "cors",
    "os": "os",
    "this": "this",
    "is": "is",
    "alias": "alias",
    "lens": "lens",
    "canvas": "canvas",
    "atlas": "atlas",
    "bias": "bias",
}


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of an English word in lower case; a word that is singular stays."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=65536)
def is_plural(word: str) -> bool:
    """Does the last word of a name stand for many?"""
    words = name_words(word)
    return (bool(words) and singular(words[-1]) != words[-1]) or word in ("media", "data")


@lru_cache(maxsize=65536)
def noun_of(name: str) -> Noun:
    """A name as singular words with abbreviations written out."""
    found: list[str] = []
    for word in name_words(name):
        one = singular(word)
        found += _ABBREVIATIONS.get(one, one).split()
    return tuple(found)


@lru_cache(maxsize=65536)
def entity_noun(schema_name: str) -> Noun:
    """What a schema's name says it is: ``API_Entities_BasicProjectDetails`` → ("project",)."""
    last = schema_name.rpartition(".")[2] or schema_name
    words = noun_of(last)
    for joint in ("with", "without"):
        if joint in words[1:]:
            words = words[: words.index(joint)]
    return tuple(word for word in words if word not in _DECORATIONS and not word.isdigit())


@lru_cache(maxsize=65536)
def parameter_noun(name: str) -> Noun:
    """The thing a parameter's name names: ``project_id`` → project, ``pageName`` → page, ``id`` → nothing."""
    words = list(name_words(name))
    if words == ["uid"]:
        return ("user",)
    stripped = False
    while words and singular(words[-1]) in ID_SUFFIXES and not (stripped and len(words) == 1):
        words.pop()
        stripped = True
    if not words:
        return ()
    if len(words) == 1:
        lone = words[0]
        for suffix in ("name", "id", "uuid", "slug", "ids", "names"):
            # username, variablename, secretname: written together.
            if (
                lone.endswith(suffix)
                and len(lone) - len(suffix) >= 3
                and lone not in ("grid", "valid", "rename")
            ):
                words = [lone[: -len(suffix)]]
                break
    noun = noun_of("_".join(words))
    if len(noun[-1:]) and noun[-1].endswith("ish") and len(noun[-1]) > 6:
        noun = (*noun[:-1], noun[-1][:-3])  # commitish, treeish: what acts for a commit, a tree
    return () if not stripped and len(noun) == 1 and noun[0] in GENERIC else noun


def same_noun(left: Noun, right: Noun) -> bool:
    """Equal, or one is the other's last words: (annotated, tag) and (tag)."""
    if not left or not right:
        return False
    return left == right or left[-len(right) :] == right or right[-len(left) :] == left


def first_words(text: str) -> tuple[str, ...]:
    """The first words of a sentence in lower case, without a mark (``[BETA]``) or an adverb before it."""
    plain = re.sub(r"^\s*(\[[^\]]*\]|\([^)]*\))\s*", "", text)
    words = tuple(word.strip(".,:;()'\"").lower() for word in plain.split()[:12])
    return words[1:] if words and words[0].endswith("ly") and words[0] not in ("apply", "reply") else words
