"""The commit graph of a project: append, walk, compare."""

from __future__ import annotations

from collections.abc import Mapping

from lobrest.demo.records import BranchRecord, CommitRecord, ProjectRecord, UserRecord
from lobrest.demo.refusal import not_found
from lobrest.demo.state import State


def first_commit(state: State, project: ProjectRecord, author: UserRecord) -> None:
    """A project begins with a README on its protected default branch."""
    branch = BranchRecord(project.default_branch, "", protected=True)
    project.branches[branch.name] = branch
    append(state, project, branch, author, "Initial commit", {"README.md": f"# {project.name}\n"})


def append(
    state: State,
    project: ProjectRecord,
    branch: BranchRecord,
    author: UserRecord,
    message: str,
    files: Mapping[str, str],
    *,
    also: tuple[str, ...] = (),
) -> CommitRecord:
    """A commit with these files on top of the branch, and on top of the commits in `also` (a merge)."""
    parents = ((branch.head,) if branch.head else ()) + also
    content = [f"{name}\0{text}" for name, text in sorted(files.items())]
    sha = state.digest(str(project.id), *parents, message, str(len(project.commits)), *content)
    commit = CommitRecord(sha, parents, message, author.id, state.now(), dict(files))
    project.commits[sha] = commit
    branch.head = sha
    return commit


def ancestors(project: ProjectRecord, sha: str) -> dict[str, CommitRecord]:
    """The commit and all before it, newest first along each line."""
    found: dict[str, CommitRecord] = {}
    waiting = [sha]
    while waiting:
        commit = project.commits[waiting.pop()]
        if commit.sha not in found:
            found[commit.sha] = commit
            waiting.extend(reversed(commit.parents))
    return found


def ahead(project: ProjectRecord, source: str, target: str) -> list[CommitRecord]:
    """What the source commit has that the target commit has not."""
    known = ancestors(project, target)
    return [commit for sha, commit in ancestors(project, source).items() if sha not in known]


def find_branch(project: ProjectRecord, name: str) -> BranchRecord:
    branch = project.branches.get(name)
    if branch is None:
        raise not_found("Branch")
    return branch


def find_commit(project: ProjectRecord, ref: str) -> CommitRecord:
    """By hash, by the first seven digits or more of it, by branch or by tag."""
    if ref in project.branches:
        return project.commits[project.branches[ref].head]
    if ref in project.releases:
        return project.commits[project.releases[ref].sha]
    if ref in project.commits:
        return project.commits[ref]
    matches = [sha for sha in project.commits if len(ref) >= 7 and sha.startswith(ref)]
    if len(matches) != 1:
        raise not_found("Commit")
    return project.commits[matches[0]]
