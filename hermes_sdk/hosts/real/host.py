"""`RealHost`: an installed hermes-agent on one home, in a process of its own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from hermes_sdk.errors import HermesSdkError
from hermes_sdk.home import Home
from hermes_sdk.hosts import process
from hermes_sdk.hosts.base import CliResult, EntryPoint, Host, LogRecord, Report, Swallowed, ToolResult
from hermes_sdk.hosts.real.environments import environment
from hermes_sdk.hosts.real.servers import WORKER, host_variables, server

TIME_LIMIT = 30.0
"""Seconds that a request may take, and the discovery of all plugins."""

_CLI_TIME_LIMIT = 60.0


class RealHost(Host):
    """The real host of one release, driven from outside.

    It runs in a process of its own, with a scrubbed environment, a temporary HOME and loopback-only sockets; bundled
    plugins and the machine's managed scope are left out. What a plugin prints is not seen. Arguments and results travel as
    JSON: a result that JSON has no form for arrives as ``{"__repr__": "<its repr>"}``.

    Args:
        home: The HERMES_HOME; what it enables is what gets loaded.
        release: A real release such as ``"0.19.0"``.
        cwd: The working directory. Default: the home.
        pythonpath: Directories to append to the host's ``sys.path``; entry points in them count.
        entry_points: Further entry points of the group ``hermes_agent.plugins``.

    Raises:
        UsageError: There is no such release.
        UnavailableError: Its environment is not here and cannot be made.
        HermesSdkError: A plugin ended the process, or took too long.
    """

    kind = "real"

    def __init__(
        self,
        home: Home,
        release: str,
        *,
        cwd: Path | None = None,
        pythonpath: Sequence[Path] = (),
        entry_points: Sequence[EntryPoint] = (),
    ) -> None:
        self.release = release
        self.home = home.path
        self._environment = environment(release)
        self._scratch = tempfile.TemporaryDirectory(prefix="hermes-sdk-host-", ignore_cleanup_errors=True)
        try:
            self._config = _prepare(Path(self._scratch.name), home.path, cwd or home.path, pythonpath, entry_points)
            self._connection = server(self._environment).fork(self._config)
            self._ask("start", "plugin discovery")
        except BaseException:
            self._scratch.cleanup()
            raise

    def _ask(self, method: str, doing: str, **arguments: Any) -> Any:
        return self._connection.request(method, arguments, doing=doing, time_limit=TIME_LIMIT)

    def _names(self, kind: str) -> list[str]:
        return list(self._ask("state", "list of names")[kind])

    @property
    def plugins(self) -> list[str]:
        """The keys of every plugin that discovery recorded, loaded or not."""
        return self._names("plugins")

    @property
    def tools(self) -> list[str]:
        """The tools that plugins registered and that the registry kept."""
        return self._names("tools")

    @property
    def hooks(self) -> list[str]:
        """The hooks that have a callback."""
        return self._names("hooks")

    @property
    def commands(self) -> list[str]:
        """The slash commands of plugins, without the slash."""
        return self._names("commands")

    @property
    def cli_commands(self) -> list[str]:
        """The CLI commands of plugins."""
        return self._names("cli_commands")

    @property
    def skills(self) -> list[str]:
        """The skills of plugins as ``plugin:skill``."""
        return self._names("skills")

    @property
    def log(self) -> list[LogRecord]:
        """Everything logged since the host started, at INFO and above."""
        return [LogRecord(**record) for record in self._ask("log", "log")]

    @property
    def swallowed(self) -> list[Swallowed]:
        """The exceptions of plugins that the host caught and would hide from its user."""
        return [Swallowed(**error) for error in self._ask("swallowed", "swallowed exceptions")]

    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool the way a model's call goes; see `Host.call_tool`. The first call takes half a second."""
        return ToolResult(self._ask("call_tool", f"tool {name}", name=name, args={**(args or {}), **arguments}))

    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the plugins' tools as a model receives them; see `Host.definitions`."""
        return list(self._ask("definitions", "tool definitions"))

    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        return list(self._ask("fire", f"hook {hook}", hook=hook, given=arguments))

    def command(self, line: str) -> str | None:
        """Type a line into a CLI session; see `Host.command`."""
        return cast("str | None", self._ask("command", f"command {line.split(maxsplit=1)[0]}", line=line))

    def cli(self, *argv: str) -> CliResult:
        """Run ``hermes *argv`` in a fresh process; see `Host.cli`. It takes about half a second."""
        command = [str(self._environment.python), "-P", str(WORKER), "cli", json.dumps(self._config), *argv]
        done = process.run(
            command,
            environment=self._config["environment"],
            cwd=Path(self._config["cwd"]),
            time_limit=_CLI_TIME_LIMIT,
        )
        if done.ended == "time limit":
            raise HermesSdkError(f"hermes {' '.join(argv)}: no end after {_CLI_TIME_LIMIT:g} s, and it was stopped")
        # A shell reports a signal as 128 and its number.
        return CliResult(done.status + 128 * (done.ended == "signal"), done.stdout, done.stderr)

    def skill(self, name: str) -> Any:
        """What the tool ``skill_view`` answers; see `Host.skill`."""
        return self._ask("skill", f"skill {name}", name=name)

    def rescan(self) -> None:
        """Discover again from scratch; see `Host.rescan`."""
        self._ask("rescan", "plugin discovery")

    def report(self, key: str | None = None) -> Report:
        """What the host gets from one plugin; see `Host.report`."""
        found = self._ask("report", f"report of {key or 'the plugin'}", key=key)
        return cast("Report", {**found, "host": self.kind, "release": self.release})

    def close(self) -> None:
        """Stop the host's process and remove its temporary directories; calling it twice does nothing."""
        self._connection.close()
        self._scratch.cleanup()


def _prepare(
    scratch: Path, home: Path, cwd: Path, pythonpath: Sequence[Path], entry_points: Sequence[EntryPoint]
) -> dict[str, Any]:
    """Lay out what a host's process needs besides its home, and describe it as the worker's `child.become` takes it."""
    user, temporary, empty, declared = (scratch / name for name in ("home", "tmp", "empty", "entry_points"))
    for folder in (user, temporary, empty, declared):
        folder.mkdir()
    if entry_points:
        _declare(declared / "hermes_sdk_given-0.dist-info", entry_points)
    return {
        "home": str(home),
        "cwd": str(cwd),
        "environment": process.child_environment(user, temporary, host_variables(home, empty)),
        "path": [str(folder) for folder in (*pythonpath, declared)],
    }


def _declare(folder: Path, entry_points: Sequence[EntryPoint]) -> None:
    """Write what an installed package leaves for `importlib.metadata` to find."""
    folder.mkdir()
    lines = [f"{entry.name} = {entry.value}" for entry in entry_points]
    text = "\n".join(["[hermes_agent.plugins]", *lines, ""])
    (folder / "entry_points.txt").write_text(text, encoding="utf-8")
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: hermes-sdk-given\nVersion: 0\n", encoding="utf-8")
