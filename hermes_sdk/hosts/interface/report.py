"""Reports of a host about one plugin: the value that `Host.report` returns, and the schema ``hermes-sdk.show/1``."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

HostKind = Literal["embedded", "real"]
Status = Literal["loaded", "failed", "skipped", "deferred", "unsupported"]

PROVIDER_CATEGORIES = (
    "browser",
    "dashboard_auth",
    "image_gen",
    "secret_source",
    "transcription",
    "tts",
    "video_gen",
    "web_search",
)


class PluginFacts(TypedDict):
    """Who a plugin is, as the host sees it."""

    key: str
    name: str
    kind: str
    source: str
    version: str
    path: str
    manifest: dict[str, Any]


class Report(TypedDict):
    """Report about one plugin: the schema ``hermes-sdk.show/1``. Lists hold names and are sorted."""

    schema: str
    host: HostKind
    release: str
    grade: str | None
    plugin: PluginFacts
    status: Status
    error: str | None
    tools: list[str]
    hooks: list[str]
    middleware: list[str]
    commands: list[str]
    cli_commands: list[str]
    skills: list[str]
    mcp_servers: list[str]
    platforms: list[str]
    context_engine: str | None
    memory_provider: str | None
    providers: dict[str, list[str]]
    model_providers: list[str]
    auxiliary_tasks: list[str]
    slack_action_handlers: list[str]
    gateway_hooks: list[str]
    missing_imports: list[str]
    warnings: list[str]


def find_form(report: Report) -> Literal["directory", "package"]:
    """Return the form of the plugin that a report is about."""
    return "package" if report["plugin"]["source"] == "entrypoint" else "directory"


class CallableFacts(TypedDict):
    """Place of a handler or callback in the plugin's source, and its parameters.

    `takes_one` says whether it can be called with one positional argument.
    """

    file: str | None
    line: int | None
    name: str
    accepts_var_keyword: bool
    is_coroutine: bool
    parameters: list[str]
    takes_one: bool


class Registration(TypedDict):
    """One ``ctx.register_*`` call of a plugin; `file` is relative to the plugin.

    `uncallable` is the type of what was given in the place of a function that the host calls, else None. `setup`
    describes the function that adds the arguments of a CLI command.
    """

    call: str
    name: str
    file: str | None
    line: int | None
    callable: CallableFacts | None
    uncallable: str | None
    setup: CallableFacts | None
    schema: Any
    toolset: str | None
    is_async: bool


class Place(TypedDict):
    """A line of the plugin; `file` is relative to its directory."""

    file: str
    line: int


class Failure(TypedDict):
    """The exception that ended a load, as ``Type: message``; `fix` is empty when nothing better is known."""

    error: str
    fix: str
    place: Place | None


class Inspection(TypedDict):
    """Calls of a plugin's ``register``, one by one, and the exception with which it failed to load.

    `isolation` names the layers of `hosts.processes.isolation` that it was loaded behind.
    """

    report: Report
    registrations: list[Registration]
    failure: Failure | None
    isolation: list[str]
