"""Webhooks."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import has_role, number, project_of, project_to_change, role_in
from lobrest.demo.declare import B, Call, Module, Q, Timestamp, delete, get, post, put
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import HookRecord, ProjectRecord, Role
from lobrest.demo.refusal import bad_request, forbidden, not_found, unprocessable

ADDRESS: Final = re.compile(r"https?://[^\s/]+\S*")
MOST_HOOKS: Final = 20

HookUrl = Annotated[str, Meta(max_length=2000, extra_json_schema={"format": "uri"})]


class Trigger(StrEnum):
    PUSH = "push_events"
    ISSUES = "issues_events"
    MERGE_REQUESTS = "merge_requests_events"


class Hook(Struct):
    id: int
    project_id: int
    url: str
    push_events: bool
    issues_events: bool
    merge_requests_events: bool
    created_at: Timestamp


class HookCreate(Struct):
    url: HookUrl
    push_events: bool = True
    issues_events: bool = False
    merge_requests_events: bool = False
    token: Annotated[str | UnsetType, Meta(description="Secret sent along with each delivery")] = UNSET


class HookUpdate(Struct):
    url: HookUrl | UnsetType = UNSET
    push_events: bool | UnsetType = UNSET
    issues_events: bool | UnsetType = UNSET
    merge_requests_events: bool | UnsetType = UNSET


class HookTest(Struct):
    trigger: Trigger


class HookDelivery(Struct):
    hook_id: int
    trigger: Trigger
    delivery: int


def list_hooks(call: Call[Paging, None]) -> list[Hook]:
    project = project_of(call)
    if not has_role(role_in(call.state, project, call.user), Role.MAINTAINER):
        raise forbidden()
    return [render_hook(project, hook) for hook in page_of(call, list(project.hooks.values()))]


def create_hook(call: Call[None, HookCreate]) -> Hook:
    project, body = project_to_change(call, Role.MAINTAINER), call.body
    check_url(body.url)
    if len(project.hooks) >= MOST_HOOKS:
        raise unprocessable("base", f"maximum number of webhooks ({MOST_HOOKS}) exceeded")
    hook = HookRecord(
        call.state.next_id("hook"),
        body.url,
        body.push_events,
        body.issues_events,
        body.merge_requests_events,
        call.state.now(),
    )
    project.hooks[hook.id] = hook
    return render_hook(project, hook)


def check_url(url: str) -> None:
    if not ADDRESS.fullmatch(url):
        raise bad_request("url is invalid")


def find_hook(call: Call[Q, B], project: ProjectRecord) -> HookRecord:
    hook = project.hooks.get(number(call, "hook_id"))
    if hook is None:
        raise not_found("Hook")
    return hook


def update_hook(call: Call[None, HookUpdate]) -> Hook:
    project, body = project_to_change(call, Role.MAINTAINER), call.body
    hook = find_hook(call, project)
    if body.url is not UNSET:
        check_url(body.url)
        hook.url = body.url
    if body.push_events is not UNSET:
        hook.push_events = body.push_events
    if body.issues_events is not UNSET:
        hook.issues_events = body.issues_events
    if body.merge_requests_events is not UNSET:
        hook.merge_requests_events = body.merge_requests_events
    return render_hook(project, hook)


def delete_hook(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.MAINTAINER)
    del project.hooks[find_hook(call, project).id]


def try_hook(call: Call[None, HookTest]) -> HookDelivery:
    project = project_to_change(call, Role.MAINTAINER)
    hook, trigger = find_hook(call, project), call.body.trigger
    subscribed = subscriptions(hook)
    if call.faults.enabled("hook-test-unsubscribed"):
        subscribed.index(trigger)
    if trigger not in subscribed:
        raise unprocessable("trigger", "is not enabled for this webhook")
    hook.deliveries += 1
    return HookDelivery(hook.id, trigger, hook.deliveries)


def subscriptions(hook: HookRecord) -> tuple[Trigger, ...]:
    wanted = {
        Trigger.PUSH: hook.push_events,
        Trigger.ISSUES: hook.issues_events,
        Trigger.MERGE_REQUESTS: hook.merge_requests_events,
    }
    return tuple(trigger for trigger, on in wanted.items() if on)


def render_hook(project: ProjectRecord, hook: HookRecord) -> Hook:
    return Hook(
        id=hook.id,
        project_id=project.id,
        url=hook.url,
        push_events=hook.push_events,
        issues_events=hook.issues_events,
        merge_requests_events=hook.merge_requests_events,
        created_at=hook.created_at,
    )


HOOKS: Final = "/projects/{id}/hooks"

MODULE: Final = Module(
    "hooks",
    "Webhooks that tell other systems",
    (
        get(HOOKS, list_hooks, "List webhooks", errors=(403,)),
        post(HOOKS, create_hook, "Add a webhook", errors=(422,)),
        put(HOOKS + "/{hook_id}", update_hook, "Update a webhook"),
        delete(HOOKS + "/{hook_id}", delete_hook, "Delete a webhook"),
        post(HOOKS + "/{hook_id}/test", try_hook, "Send a test delivery", errors=(422,)),
    ),
)
