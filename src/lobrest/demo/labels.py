"""Labels, known by name within their project."""

from __future__ import annotations

import binascii
import re
from contextlib import suppress
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import project_of, project_to_change
from lobrest.demo.declare import B, Call, Module, Q, Text, delete, get, post, put
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import LabelRecord, ProjectRecord, Role
from lobrest.demo.refusal import bad_request, not_found, taken

HEXADECIMAL: Final = re.compile(r"#[0-9A-Fa-f]{6}")

LabelName = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"^[^,\n]+$")]
# Checked in the handler; the document declares what is right.
Colour = Annotated[str, Meta(extra_json_schema={"pattern": "^#[0-9A-Fa-f]{6}$"}, description="#RRGGBB")]


class Label(Struct):
    id: int
    name: str
    color: str
    description: str


class LabelQuery(Paging, kw_only=True):
    search: Annotated[str, Meta(description="Find labels whose name contains this")] = ""


class LabelCreate(Struct):
    name: LabelName
    color: Colour
    description: Text = ""


class LabelUpdate(Struct):
    new_name: LabelName | UnsetType = UNSET
    color: Annotated[str | UnsetType, Meta(description="#RRGGBB")] = UNSET
    description: Text | UnsetType = UNSET


def list_labels(call: Call[LabelQuery, None]) -> list[Label]:
    labels = [label for label in project_of(call).labels.values() if call.query.search in label.name]
    return [render_label(label) for label in page_of(call, labels)]


def create_label(call: Call[None, LabelCreate]) -> Label:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    if call.faults.enabled("label-colour-unicode"):
        with suppress(binascii.Error):
            binascii.unhexlify(body.color.removeprefix("#"))
    if not call.faults.enabled("label-colour-any"):
        check_colour(body.color)
    if body.name in project.labels:
        raise taken("name", status=409)
    label = LabelRecord(call.state.next_id("label"), body.name, body.color, body.description)
    project.labels[label.name] = label
    return render_label(label)


def check_colour(color: str) -> None:
    if not HEXADECIMAL.fullmatch(color):
        raise bad_request("color is invalid")


def find_label(call: Call[Q, B], project: ProjectRecord) -> LabelRecord:
    label = project.labels.get(call.path["name"])
    if label is None:
        raise not_found("Label")
    return label


def update_label(call: Call[None, LabelUpdate]) -> Label:
    project, body = project_to_change(call, Role.DEVELOPER), call.body
    label = find_label(call, project)
    if body.color is not UNSET:
        check_colour(body.color)
        label.color = body.color
    if body.description is not UNSET:
        label.description = body.description
    if body.new_name is not UNSET and body.new_name != label.name:
        if body.new_name in project.labels:
            raise taken("name", status=409)
        rename(project, label, body.new_name)
    return render_label(label)


def rename(project: ProjectRecord, label: LabelRecord, name: str) -> None:
    project.labels = {name if known is label else key: known for key, known in project.labels.items()}
    for subject in project.planned:
        subject.labels = [name if used == label.name else used for used in subject.labels]
    label.name = name


def delete_label(call: Call[None, None]) -> None:
    project = project_to_change(call, Role.DEVELOPER)
    label = find_label(call, project)
    del project.labels[label.name]
    for subject in project.planned:
        subject.labels = [used for used in subject.labels if used != label.name]


def render_label(label: LabelRecord) -> Label:
    return Label(label.id, label.name, label.color, label.description)


LABELS: Final = "/projects/{id}/labels"

MODULE: Final = Module(
    "labels",
    "Words to sort issues and merge requests by",
    (
        get(LABELS, list_labels, "List labels"),
        post(LABELS, create_label, "Create a label", errors=(409,)),
        put(LABELS + "/{name}", update_label, "Update or rename a label", errors=(409,)),
        delete(LABELS + "/{name}", delete_label, "Delete a label"),
    ),
)
