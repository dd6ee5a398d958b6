"""Conformance cases, and how they run on a host.

A case is a home (files and enabled plugins) and optionally some actions on the running host. It runs on the embedded
and on the real host, and both must show the same behaviour.

    @case("A20", plugins={"folder": plugin(name="other")}, enable=["other"])
    def keys_come_from_names_or_paths(host): ...

The body may return any JSON value, which is compared too. The id of a case is its statement and its name.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import json
import logging
import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from textwrap import dedent
from typing import Any

from conformance.raw_keys import name_sentences

from hermes_sdk import contract
from hermes_sdk.contract import parse_release
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import open_host
from hermes_sdk.hosts.interface import Host, HostExited, HostKind, LogRecord, NotSupported
from hermes_sdk.hosts.model_config import keep_tool_search

Files = Mapping[str, str]

CASES: list[Case] = []
RELEASES = ("0.19.0", "0.20.2", "0.22.2")
"""Default releases of a case."""

_CODE = (
    "api_request_error|check_fn|dispatch_tool|get_tool_schemas|inject_message|post_api_request|post_tool_call"
    "|pre_gateway_dispatch|pre_llm_call|pre_tool_call|pre_transcription|pre_verify|prepare_messages|profile_name"
    "|register_platform|requires_env|transform_tool_result|update_from_response|args|ctx"
    "|is_connected|(?<=raises_in_)is_available|(?<=raises_in_)is_enabled"
)
_SPELLINGS = (
    ("`ctx.llm`", "ctx_llm"),
    (r"`\g<0>`", _CODE),
    ("`**kwargs`", "kwargs"),
    ("`plugin.yaml`", "plugin_yaml"),
    ("`sys.exit`", "sys_exit"),
    (r"\1.\2", r"(0)_(\d+)"),
    ("in_some_releases", "by_release$"),
    ("'s", "s"),
    ("built-in", "built_in"),
    ("CLI", "cli"),
    ("Hermes", "hermes"),
    ("IDs", "ids"),
    ("JSON", "json"),
    ("LLM", "llm"),
    ("MCP", "mcp"),
    ("Python", "python"),
    ("SSH", "ssh"),
    ("UTF-8", "utf8"),
    ("YAML", "yaml"),
)
"""Spellings of words in titles, with the patterns that they replace."""


@dataclass(frozen=True)
class Case:
    """A behaviour of the host.

    Attributes:
        statement: Number of the statement about the host, such as ``A20``.
        name: The behaviour in words.
        files: Texts by path relative to the home; ``cwd/…`` is the working directory, ``site/…`` is on the Python path.
        config: Content of ``config.yaml``.
        environment: Environment variables of the host.
        act: Function called with the running host; its result is compared.
        releases: Releases to run on; None for `RELEASES`.
        since: First release with the behaviour; the case is skipped on earlier ones.
        until: First release without the behaviour; the case is skipped from there on.
        known: Reason for a known difference; the case fails when the hosts no longer differ.
        refused: The feature that the embedded host reports as not supported; the real host does not run.
        options: Further options of `open_host`, such as ``accept_hooks`` and ``stateless``.
        also: Numbers of further statements that the case shows.
        ends: Exception that ends the host; any other fails the case, so that hosts cannot agree by accident.
        defaults: Whether tool search has the default of the release; otherwise it is off.
    """

    statement: str
    name: str
    files: Files
    config: Any
    environment: Mapping[str, str]
    act: Callable[[Host], Any]
    releases: Sequence[str] | None = None
    since: str | None = None
    until: str | None = None
    known: str | None = None
    ends: type[HermesSdkError] | None = None
    options: Mapping[str, bool] = field(default_factory=dict)
    also: Sequence[str] = ()
    refused: str | None = None
    defaults: bool = False

    @property
    def id(self) -> str:
        return f"{self.statement}-{self.name}"

    def has(self, release: str) -> bool:
        """Return whether a release has the behaviour."""
        return parse_release(self.since or release) <= parse_release(release) and (
            self.until is None or parse_release(release) < parse_release(self.until)
        )

    @property
    def title(self) -> str:
        """The name as a sentence, with code and acronyms spelled as usual."""
        text = self.name
        for written, pattern in _SPELLINGS:
            text = re.sub(rf"(?<![^_])(?:{pattern})(?![^_])", written, text)
        text = re.sub("_(?=[^`]*(?:`[^`]*`[^`]*)*$)", " ", text).replace(" '", "'")
        return text if text[0] == "`" else text[0].upper() + text[1:]

    @cached_property
    def digest(self) -> str:
        """Digest of the case, which invalidates its recorded outcomes when it changes."""
        parts = (self.files, self.config, dict(self.environment), inspect.getsource(self.act), self.known)
        parts += (*sorted(self.options), *(["defaults"] if self.defaults else []))
        return hashlib.sha256(json.dumps(parts, default=repr).encode()).hexdigest()[:12]


def all_cases() -> list[Case]:
    """Return the cases of all modules in this directory."""
    for module in sorted(Path(__file__).parent.glob("cases_*.py")):
        importlib.import_module(f"conformance.{module.stem}")
    return CASES


def plugin(body: str = "def register(ctx): pass\n", /, *, manifest: str | None = None, **keys: Any) -> Files:
    """Return the files of a plugin: ``__init__.py`` with a body, and a manifest with keys or a text."""
    text = manifest if manifest is not None else "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())
    return {"plugin.yaml": text, "__init__.py": dedent(body)}


def case(
    statement: str,
    *,
    one: str | None = None,
    plugins: Mapping[str, Files] | None = None,
    files: Files | None = None,
    enable: Sequence[Any] | None = None,
    config: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
    releases: Sequence[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    known: str | None = None,
    ends: type[HermesSdkError] | None = None,
    also: Sequence[str] = (),
    refused: str | None = None,
    **options: bool,
) -> Callable[[Callable[[Host], Any]], Callable[[Host], Any]]:
    """Register a function as a case. `one` is the source of a single enabled plugin called ``p``."""
    if one is not None:
        plugins, enable = {"p": plugin(one, name="p")}, ["p"]
    texts = {
        f"plugins/{directory}/{name}": text for directory, one in (plugins or {}).items() for name, text in one.items()
    }
    texts |= files or {}
    settings = dict(config or {})
    if enable is not None:
        settings["plugins"] = {**settings.get("plugins", {}), "enabled": list(enable)}

    def keep(act: Callable[[Host], Any]) -> Callable[[Host], Any]:
        name, variables = act.__name__, environment or {}
        CASES.append(
            Case(
                statement,
                name,
                texts,
                settings,
                variables,
                act,
                releases,
                since,
                until,
                known,
                ends,
                options,
                also,
                refused,
            )
        )
        return act

    return keep


def run(one: Case, kind: HostKind, release: str, directory: Path) -> dict[str, Any]:
    """Run a case on a host and return everything that the host shows."""
    cwd, site = directory / "cwd", directory / "site"
    for place in (cwd, site):
        place.mkdir(parents=True)
    with Home.temporary() as home:
        for name, text in one.files.items():
            root, path = (directory, name) if name.startswith(("cwd/", "site/")) else (home.path, name)
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        if one.config:
            (home.path / "config.yaml").write_text(json.dumps(one.config), encoding="utf-8")
        if one.defaults:
            keep_tool_search(home.path, contract.load(release))
        try:
            surroundings = {"cwd": cwd, "pythonpath": [site], "environment": one.environment}
            with open_host(kind, release, home, **surroundings, **one.options) as host:
                answer = one.act(host)
                if one.refused and host.unsupported:  # Plugin code or a command swallowed the error.
                    raise NotSupported(host.unsupported[0].what, kind)
                seen = {**observe_host(host), "answer": answer}
        except HermesSdkError as error:
            if type(error) is not one.ends:
                raise
            told = error.status if isinstance(error, HostExited) else error.message.splitlines()[0]
            seen = {"error": type(error).__name__, "told": told}
        return name_sentences(json.loads(_portable(json.dumps(seen, default=repr), home.path, directory)), release)


def observe_host(host: Host) -> dict[str, Any]:
    """Return everything that a host shows of its plugins."""
    return {
        "reports": {key: _comparable(host.report(key)) for key in host.plugins},
        "tools": host.tools,
        "hooks": host.hooks,
        "commands": host.commands,
        "cli_commands": host.cli_commands,
        "skills": host.skills,
        "log": [f"{one.level} {one.message}" for one in host.log if _counts(one, host.release)],
        "swallowed": [[one.where, one.error] for one in host.swallowed],
    }


LOGGERS = ("hermes_cli.plugins", "tools.registry", "hermes_cli.middleware", "agent.shell_hooks")


# Plugins do not notice which built-in tools lack their requirements.
_OWN_TOOLS = (
    "Could not import tool module",
    "check_fn _browser_",
    "check_fn _check_feishu",
    "check_fn _check_ha_available",
    "check_fn _check_kanban_",
    "check_fn _check_mqtt_available",
    "check_fn _check_xai_video_requirements",
    "check_fn _check_vault_available",
    "check_fn _check_yuanbao",
    "check_fn _connectors_available",
    "check_fn _lacks",
    "check_fn check_bfl_requirements",
    "check_fn check_browser_",
    "check_fn check_close_terminal_requirements",
    "check_fn check_computer_use_requirements",
    "check_fn check_cronjob_requirements",
    "check_fn check_discord_tool_requirements",
    "check_fn check_image_generation_requirements",
    "check_fn check_react_requirements",
    "check_fn check_read_terminal_requirements",
    "check_fn check_tts_requirements",
    "check_fn check_video_generation_requirements",
    "check_fn check_web_api_key",
    "check_fn check_x_search_requirements",
    "check_fn is_browser_use_cli_mode",
)


_NAMELESS = ("0.21.4", "0.21.5")
"""Releases with a built-in tool whose check is a lambda."""


def _counts(record: LogRecord, release: str) -> bool:
    own = (*_OWN_TOOLS, "check_fn <lambda> ") if release in _NAMELESS else _OWN_TOOLS
    return record.logger in LOGGERS and not record.message.startswith(own)


def _comparable(report: Any) -> Any:
    return {key: value for key, value in report.items() if key not in ("host", "release", "grade")}


def _portable(text: str, home: Path, directory: Path) -> str:
    for path, name in ((home, "<home>"), (directory, "<case>")):
        for spelling in {str(path), os.path.realpath(path)}:
            text = text.replace(spelling, name)
    text = re.sub(r"\.corrupt\.\d{8}-\d{6}", ".corrupt.<time>", text)
    text = re.sub(r"\b[A-HJ-NP-Z2-9]{8}`", "<code>`", text)
    text = re.sub(r"(\\\\u2726 Tip: )([^\"\\\\]|\\\\[^n])*", r"\1<tip>", text)
    # The redistribution of a release has its own version number.
    text = re.sub(r"(running \d+\.\d+\.\d+)\.post\d+", r"\1", text)
    # The digest of the path differs between the two homes.
    text = re.sub(r"__source_[0-9a-f]{16}", "__source_<digest>", text)
    text = re.sub(r"timed out after [0-9.]+s", "timed out after <time>", text)
    return re.sub(r" at 0x[0-9a-f]+", " at <address>", text)


@contextlib.contextmanager
def without_handlers() -> Generator[None]:
    """Remove pytest's handlers from the root logger, which raise for log records that hosts accept."""
    root = logging.getLogger()
    handlers, root.handlers[:] = root.handlers[:], []
    try:
        yield
    finally:
        root.handlers[:] = handlers
