"""Reports about plugins: the return value of `Host.report`, with the schema ``hermes-sdk.show/1``."""

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
    """Identity of a plugin, as the host sees it."""

    key: str
    name: str
    kind: str
    source: str
    version: str
    path: str
    manifest: dict[str, Any]


class Report(TypedDict):
    """Report about one plugin, with the schema ``hermes-sdk.show/1``. Lists contain names and are sorted."""

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
    """Return the form of a report's plugin."""
    return "package" if report["plugin"]["source"] == "entrypoint" else "directory"


class CallableFacts(TypedDict):
    """Place of a handler or callback in the plugin's source, and its parameters.

    `takes_one` is true if it can be called with one positional argument.
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

    `uncallable` is the type of the handler if it is not callable, otherwise None. `setup` describes the function that
    adds the arguments of a CLI command.
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
    """The exception with which a plugin failed to load, as ``Type: message``; `fix` is empty if no fix is known."""

    error: str
    fix: str
    place: Place | None


class Inspection(TypedDict):
    """A plugin's registrations in order, and the exception with which it failed to load.

    `isolation` names the layers of `hosts.processes.isolation` in which the plugin was loaded.
    """

    report: Report
    registrations: list[Registration]
    failure: Failure | None
    isolation: list[str]
