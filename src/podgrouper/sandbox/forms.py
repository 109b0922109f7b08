"""The forms in which objects go out: whole or as metadata only, alone or in lists, as bytes."""

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from podgrouper.core.fields import mapping
from podgrouper.core.model import Json
from podgrouper.kube.transport import Answer
from podgrouper.memory.refusals import Refused
from podgrouper.memory.resources import Resource

JSON_HEADERS: Mapping[str, str] = {"content-type": "application/json"}
_META = "meta.k8s.io/v1"


class Form(StrEnum):
    WHOLE = ""
    METADATA = "PartialObjectMetadata"
    METADATA_LIST = "PartialObjectMetadataList"


def form_of(accept: str, *, of_list: bool) -> Form:
    """The first form of an Accept header that we can give; raises `Refused` (406) when there is none."""
    for accepted in (accept or "application/json").split(","):
        media_type, *parameters = (part.strip() for part in accepted.split(";"))
        if media_type not in ("application/json", "*/*", "application/*"):
            continue
        asked = dict(
            re.findall(r"^(\w+)=(.*)$", parameter)[0] for parameter in parameters if "=" in parameter
        )
        form = asked.get("as", "")
        if form == "":
            return Form.WHOLE
        if asked.get("g") != "meta.k8s.io" or asked.get("v") != "v1" or form not in tuple(Form):
            continue
        if of_list != (form == Form.METADATA_LIST):
            what = "a list" if of_list else "not a list"
            message = f"you requested {form}, but the requested object is {what}"
            raise Refused(406, "NotAcceptable", message)
        return Form(form)
    message = "only the following media types are accepted: application/json"
    raise Refused(406, "NotAcceptable", message)


def object_form(obj: Json, form: Form) -> Json:
    if form is Form.WHOLE:
        return obj
    return {"kind": Form.METADATA.value, "apiVersion": _META, "metadata": mapping(obj, "metadata")}


def list_form(resource: Resource, objects: Iterable[Json], form: Form, metadata: Json) -> Json:
    """A list. Items of built-in kinds do not say what they are: the list does, as on a real server."""
    if form is not Form.WHOLE:
        whole = [object_form(obj, form) for obj in objects]
        return {"kind": form.value, "apiVersion": _META, "metadata": metadata, "items": whole}
    listed = list(objects) if resource.custom else [_untyped(obj) for obj in objects]
    return {
        "kind": resource.list_kind,
        "apiVersion": resource.kind.api_version,
        "metadata": {"continue": "", **metadata} if resource.custom else metadata,
        "items": listed,
    }


def _untyped(obj: Json) -> Json:
    return {key: value for key, value in obj.items() if key not in ("kind", "apiVersion")}


def encoded(value: object) -> bytes:
    """JSON. Numbers and text that the fast encoder cannot write are written by the slow one."""
    try:
        return msgspec.json.encode(value)
    except (OverflowError, UnicodeEncodeError, TypeError, ValueError):
        return json.dumps(value, default=dict).encode()


def answer(status: int, value: object) -> Answer:
    return Answer(status, JSON_HEADERS, encoded(value))


def refusal(refused: Refused) -> Answer:
    return answer(refused.status, refused.json)


def page_not_found() -> Answer:
    """What a real server says about a path in a group that it does not know: no Status at all."""
    return Answer(404, {"content-type": "text/plain; charset=utf-8"}, b"404 page not found\n")
