"""What a conformance case is, and how it runs on a host.

A case is a home (a few files, what is enabled) and perhaps something to do with the running host. It runs on the
embedded host and on the real one; everything that both hosts then show must be equal.

    @case("A20", plugins={"folder": plugin(name="other")}, enable=["other"])
    def the_key_of_a_flat_plugin_is_its_name(host): ...

The body may return anything that JSON can carry; it is compared too. The id of a case is its statement and its name.
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
"""The releases that a case runs on unless it names its own."""

_CODE = (
    "check_fn|dispatch_tool|inject_message|post_tool_call|pre_tool_call|profile_name|requires_env|transform_tool_result"
    "|args|ctx"
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
    ("CLI", "cli"),
    ("Hermes", "hermes"),
    ("IDs", "ids"),
    ("JSON", "json"),
    ("LLM", "llm"),
    ("MCP", "mcp"),
    ("Python", "python"),
    ("UTF-8", "utf8"),
    ("YAML", "yaml"),
)
"""How words of a name are written in a sentence, and patterns for them."""


@dataclass(frozen=True)
class Case:
    """One behaviour of the host.

    Attributes:
        statement: The number of the statement about the host, such as ``A20``.
        name: What is shown, in words.
        files: Texts by path relative to the home; ``cwd/…`` lies in the working directory, ``site/…`` on the path.
        config: The content of ``config.yaml``.
        environment: Variables of the host's process.
        act: What to do with the running host; its return value is compared.
        releases: The only releases to run on; None for `RELEASES`.
        since: The first release that has what is shown; the case runs on no earlier one.
        until: The first release that no longer has it; the case runs on no later one either.
        known: Why the two hosts are known to differ; such a case fails when they stop differing.
        refused: What the embedded host says that it does not do, instead; the real host is then not asked.
        options: What else the host is opened with: ``accept_hooks``, ``stateless``.
        also: The numbers of further statements that it shows.
        ends: The exception that ends the host; any other fails the case, so that two hosts cannot agree by accident.
        defaults: Whether tool search is as in a new Hermes of the release; else it is off.
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
        """Whether a release has what the case shows."""
        return parse_release(self.since or release) <= parse_release(release) and (
            self.until is None or parse_release(release) < parse_release(self.until)
        )

    @property
    def title(self) -> str:
        """The name as a sentence, with the names of code and acronyms as they are written elsewhere."""
        text = self.name
        for written, pattern in _SPELLINGS:
            text = re.sub(rf"(?<![^_]){pattern}(?![^_])", written, text)
        text = re.sub("_(?=[^`]*(?:`[^`]*`[^`]*)*$)", " ", text).replace(" '", "'")
        return text if text[0] == "`" else text[0].upper() + text[1:]

    @cached_property
    def digest(self) -> str:
        """A text that changes when the case does, so that an outcome is never taken for that of another case."""
        parts = (self.files, self.config, dict(self.environment), inspect.getsource(self.act), self.known)
        parts += (*sorted(self.options), *(["defaults"] if self.defaults else []))
        return hashlib.sha256(json.dumps(parts, default=repr).encode()).hexdigest()[:12]


def all_cases() -> list[Case]:
    """The cases of every module beside this one."""
    for module in sorted(Path(__file__).parent.glob("cases_*.py")):
        importlib.import_module(f"conformance.{module.stem}")
    return CASES


def plugin(body: str = "def register(ctx): pass\n", /, *, manifest: str | None = None, **keys: Any) -> Files:
    """The files of a plugin directory: ``__init__.py`` with a body, and a manifest with these keys or this text."""
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
    """Make a case of a function; see the module for how. `one` is the body of an only, enabled plugin called ``p``."""
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
    """Run a case on a host and write down everything that the host shows."""
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
                seen = {**observed(host), "answer": answer}
        except HermesSdkError as error:
            if type(error) is not one.ends:
                raise
            told = error.status if isinstance(error, HostExited) else error.message.splitlines()[0]
            seen = {"error": type(error).__name__, "told": told}
        return name_sentences(json.loads(_portable(json.dumps(seen, default=repr), home.path, directory)), release)


def observed(host: Host) -> dict[str, Any]:
    """Everything that a host shows of its plugins."""
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


# Which of the host's own tools lack something is no behaviour towards plugins.
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
"""Releases that have an own tool whose check has no name."""


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
    # The redistribution that stands for a release has a number of its own.
    text = re.sub(r"(running \d+\.\d+\.\d+)\.post\d+", r"\1", text)
    # A digest of the path, which differs between the two homes.
    text = re.sub(r"__source_[0-9a-f]{16}", "__source_<digest>", text)
    text = re.sub(r"timed out after [0-9.]+s", "timed out after <time>", text)
    return re.sub(r" at 0x[0-9a-f]+", " at <address>", text)


@contextlib.contextmanager
def without_handlers() -> Generator[None]:
    """Take pytest's handlers off the root logger: they raise at a record that no host minds."""
    root = logging.getLogger()
    handlers, root.handlers[:] = root.handlers[:], []
    try:
        yield
    finally:
        root.handlers[:] = handlers
