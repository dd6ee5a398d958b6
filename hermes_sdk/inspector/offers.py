"""Tools, setup questions and other providers of a plugin, for the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hermes_sdk.hosts.interface import Inspection, Report
from hermes_sdk.inspector.actions import Attempt


class Question(NamedTuple):
    """A setup question: its key in the form, label, hint, default as typed, choices, and whether it is a secret."""

    key: str
    label: str
    hint: str
    default: str
    choices: tuple[str, ...]
    secret: bool


class Provider(NamedTuple):
    """A provider of the plugin, and the configuration with which turns use it.

    Attributes:
        config: The part of ``config.yaml`` that selects it and the tools that use it; empty if the host cannot use it
            here.
    """

    kind: str
    name: str
    config: Mapping[str, Any]
    tools: tuple[str, ...]


_TOOLS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "image_gen": ("image_gen", "provider", ("image_generate",)),
    "tts": ("tts", "provider", ("text_to_speech",)),
    "video_gen": ("video_gen", "provider", ("video_generate",)),
    "web_search": ("web", "backend", ("web_search", "web_extract")),
}
"""The section and key in ``config.yaml`` that select a provider, and the tools of the toolset of that name."""


_KINDS = {"image_gen": "images", "tts": "speech", "video_gen": "videos", "web_search": "web search"}


def list_tools(inspection: Inspection) -> list[dict[str, Any]]:
    """List the registered tools of a plugin with their schemas, including those currently not offered to models."""
    registered = inspection["report"]["tools"]
    found: dict[str, dict[str, Any]] = {}
    for one in inspection["registrations"]:
        if one["call"] == "register_tool" and one["name"] in registered:
            schema = _read_mapping(one["schema"])
            about = {"description": str(schema.get("description") or ""), "parameters": schema.get("parameters") or {}}
            found[one["name"]] = {"name": one["name"], **about}
    return list(found.values())


def list_providers(report: Report) -> list[Provider]:
    """List a plugin's providers, except memory and platforms, which have their own forms."""
    found = [Provider("model", name, {}, ()) for name in report["model_providers"]]
    if engine := report["context_engine"]:
        found.append(Provider("context engine", engine, {"context": {"engine": engine}}, ()))
    for category, names in report["providers"].items():
        section, key, tools = _TOOLS.get(category, ("", "", ()))
        for name in names:
            config = {section: {key: name}, "platform_toolsets": {"cli": [section]}} if section else {}
            found.append(Provider(_KINDS.get(category, category.replace("_", " ")), name, config, tools))
    return found


def ask_questions(fields: Sequence[Mapping[str, Any]]) -> list[Question]:
    """Convert the fields of a memory provider to questions."""
    return [_create_question(field) for field in fields]


def _create_question(field: Mapping[str, Any]) -> Question:
    key, secret = str(field["key"]), bool(field.get("secret"))
    listed = field.get("choices")
    choices = tuple(map(str, listed)) if isinstance(listed, list) and not secret else ()
    when, source = _read_mapping(field.get("when")), _read_mapping(field.get("default_from"))
    hints = [
        key if field.get("description") else "",
        f"see {field['url']}" if field.get("url") else "",
        f"stored in {field['env_var']}" if field.get("env_var") else "",
        f"asked if {', '.join(f'{name} is {value}' for name, value in when.items())}" if when else "",
        f"the default depends on {source.get('field')}" if source else "",
    ]
    default = "" if secret or field.get("default") is None else str(field["default"])
    label = str(field.get("description") or key)
    return Question(key, label, " · ".join(filter(None, hints)), default, choices, secret)


def _read_mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def make_setup(questions: Sequence[Question], form: Mapping[str, str]) -> Attempt:
    """Create the setup from the submitted form; answers equal to the default are omitted."""
    typed = {one.key: form.get(f"answer.{one.key}", "").strip() for one in questions}
    answers = {one.key: typed[one.key] for one in questions if typed[one.key] not in ("", one.default)}
    return Attempt("setup", "", answers, secrets=frozenset(one.key for one in questions if one.secret))
