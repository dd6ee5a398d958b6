"""What every host offers to a test, whichever it is: the `Host` interface and the values that it returns."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError
from hermes_sdk.hosts.in_worker.recording import Recording
from hermes_sdk.hosts.interface.memory import MemoryCommand
from hermes_sdk.hosts.interface.report import HostKind, Report
from hermes_sdk.hosts.interface.results import CliResult, ToolResult
from hermes_sdk.hosts.interface.turn import HookCalls, RawTurn, Turn

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.gateway import Gateway
    from hermes_sdk.llm import Answer, Request, ScriptedModel


class HostExited(HermesSdkError):
    """Plugin code ended the host, as ``sys.exit`` does: the host catches no SystemExit.

    Args:
        who: What was running, such as ``plugin 'notes'``.
        status: What was given to ``sys.exit``, or the status that the process ended with.
        printed: The end of what it had printed, where that is known.
    """

    def __init__(self, who: str, status: object, printed: str = "") -> None:
        super().__init__(
            f"{who} ended the host with exit status {status!r}." + (f" It had printed:\n{printed}" if printed else ""),
            fix="Raise an exception instead; the host then reports the plugin and goes on.",
        )
        self.status = status


class NotSupported(HermesSdkError):
    """A host cannot do what was asked of it.

    Args:
        what: What that is, such as ``an interrupted turn``.
        kind: The kind of the host.
        why: Why not.
    """

    def __init__(self, what: str, kind: HostKind, why: str = "") -> None:
        other = "real" if kind == "embedded" else "embedded"
        super().__init__(
            f"The {kind} host does not support {what}" + (f": {why}." if why else "."),
            fix=f"Run this on the {other} host.",
        )


class EntryPoint(NamedTuple):
    """One entry point of the group ``hermes_agent.plugins``, such as ``EntryPoint("notes", "team_notes")``."""

    name: str
    value: str


@dataclass(frozen=True)
class LogRecord:
    """One record that the host or a plugin logged."""

    level: str
    logger: str
    message: str


@dataclass(frozen=True)
class Swallowed:
    """An exception of the plugin that the host hides from its user.

    Attributes:
        where: What was running, such as ``hook post_tool_call`` or ``tool calculate``.
        error: The exception as ``Type: message``.
        traceback: Its traceback, as Python prints it.
    """

    where: str
    error: str
    traceback: str

    def matches(self, pattern: str) -> bool:
        """Tell whether a regular expression is found in ``where: Type: message``."""
        return re.search(pattern, f"{self.where}: {self.error}") is not None


OnSwallowed = Callable[[str, BaseException], None]
"""Called with a place such as ``hook post_tool_call`` and the exception whenever a host hides one of a plugin."""


class Host(ABC):
    """A running host with the plugins that its home enables.

    Names in the lists are sorted, and are those of all plugins together; `report` tells them apart.

    Attributes:
        recording: What callbacks see, while somebody asks for it.
    """

    kind: HostKind
    release: str
    home: Path

    def __init__(self, *, record: bool = False) -> None:
        self.recording = Recording(keep=record)
        self._expected: list[str] = []
        self._llm: ScriptedModel | None = None
        self._gateway: Gateway | None = None

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model that answers `chat` and, in its lane ``aux``, ``ctx.llm``.

        Its first use writes it into the home's ``config.yaml`` as the user's model; what stands there already wins.
        """
        if self._llm is None:
            from hermes_sdk.llm import ScriptedModel

            self._llm = ScriptedModel()
            self._llm.observer = self._note_request
            self._serve(self._llm)
        return self._llm

    def unscripted(self) -> list[str]:
        """Where the model's script did not fit: what it had no answer for, and the answers that nobody asked for."""
        return [] if self._llm is None else [*self._llm.problems(), *self._llm.unused()]

    def _note_request(self, request: Request, answer: Answer) -> None:
        # Which thread asks is no behaviour towards plugins, and on the real host it is one of the server.
        self.recording.add("llm_request", request.lane, thread="", arguments=request.body, returned=answer)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What callbacks of plugins saw and what the model was asked, in the order in which it began.

        Only a host that was opened with ``record=True`` has any; see `recording.Recording.events` for their form.
        """
        return self.recording.events

    @abstractmethod
    def _serve(self, model: ScriptedModel) -> None:
        """Make a model the one that the host asks."""

    def chat(self, text: str) -> Turn:
        """Say something to the agent and let it finish its turn; the session goes on with the next call.

        The model is offered the tools of the plugins, or those of ``platform_toolsets.cli`` in ``config.yaml``.

        Args:
            text: What the user says.

        Raises:
            HermesSdkError: The script of the model had no answer left, or an answer of its could not be made.
            HostExited: Plugin code ended the host.
            UsageError: It is no text.
        """
        __tracebackhide__ = True
        from hermes_sdk.llm.answers import expect

        expect("chat: text", text, str)
        model = self.llm
        before = len(model.problems())
        turn = Turn.of(self._chat(text))
        if problems := model.problems()[before:]:
            raise HermesSdkError("\n".join(problems))
        return turn

    @abstractmethod
    def _chat(self, text: str) -> RawTurn:
        """Take a turn."""

    @abstractmethod
    def finish(self) -> HookCalls:
        """End the session as leaving ``hermes chat`` does: ``on_session_finalize`` with the reason ``shutdown``.

        Does nothing when no session is open; `close` does it too.

        Returns:
            The calls that reached a hook.
        """

    def gateway(self) -> Gateway:
        """The gateway of this host, started now if it does not run: ``hermes gateway run`` with the plugins' platforms.

        The scripted model is the one that it asks. What ``config.yaml`` does not say is set there: the model is offered
        what `chat` would offer it (``platform_toolsets.<platform>``), and tools that run are not announced in the chat
        (``display.tool_progress: off``), since that would come before or after the answer by chance.
        Who may write is up to the home and the environment: ``GATEWAY_ALLOW_ALL_USERS=true`` lets everybody in.

        Raises:
            NotSupported: The host has no gateway.
        """
        if self._gateway is None:
            from hermes_sdk.hosts.model_config import write_gateway

            assert self.llm
            platforms = [name for key in self.plugins for name in self.report(key)["platforms"]]
            write_gateway(self.home, platforms, self._toolsets())
            self._gateway = self._start_gateway()
        return self._gateway

    @abstractmethod
    def _toolsets(self) -> list[str]:
        """The toolsets of the plugins' tools, sorted."""

    @abstractmethod
    def _start_gateway(self) -> Gateway:
        """Start a gateway; `close` calls `_stop_gateway` before anything else."""

    def _stop_gateway(self) -> None:
        if self._gateway is not None:
            self._gateway.stop()

    def expect_swallowed(self, *, match: str) -> None:
        """Expect that the host hides an exception, so that the fixture ``hermes`` does not fail the test for it.

        Args:
            match: A regular expression that is searched in ``where: Type: message`` of the exception.
        """
        self._expected.append(match)

    def unexpected(self) -> list[Swallowed]:
        """The exceptions that the host hid and nobody expected."""
        return [one for one in self.swallowed if not any(one.matches(pattern) for pattern in self._expected)]

    def unmet(self) -> list[str]:
        """The expectations that no hidden exception met."""
        return [pattern for pattern in self._expected if not any(one.matches(pattern) for one in self.swallowed)]

    @property
    @abstractmethod
    def plugins(self) -> list[str]:
        """The keys of every plugin that discovery recorded, loaded or not."""

    @property
    @abstractmethod
    def tools(self) -> list[str]:
        """The tools that plugins registered and that the registry kept."""

    @property
    @abstractmethod
    def hooks(self) -> list[str]:
        """The hooks that have a callback."""

    @property
    @abstractmethod
    def commands(self) -> list[str]:
        """The slash commands of plugins, without the slash."""

    @property
    @abstractmethod
    def cli_commands(self) -> list[str]:
        """The CLI commands of plugins: the ``x`` of ``hermes x``."""

    @property
    @abstractmethod
    def skills(self) -> list[str]:
        """The skills of plugins as ``plugin:skill``."""

    @property
    @abstractmethod
    def log(self) -> list[LogRecord]:
        """Everything logged since the host started, at INFO and above."""

    @property
    @abstractmethod
    def swallowed(self) -> list[Swallowed]:
        """The exceptions of plugins that the host caught and would hide from its user."""

    @abstractmethod
    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool the way a model's call goes: middleware, hooks, coercion, result contract.

        Args:
            name: The tool.
            args: The arguments as a mapping, for names that are no Python identifiers.
            **arguments: The arguments as keywords.
        """

    @abstractmethod
    def definitions(self) -> list[dict[str, Any]]:
        """The definitions of the plugins' tools as a model receives them, sorted by name.

        A tool whose ``check_fn`` is not satisfied is absent.
        """

    def fire(self, hook: str, /, **arguments: Any) -> list[Any]:
        """Fire a hook and return what the callbacks returned, None left out.

        Arguments that every call of the release passes get sample values when they are not given.
        """
        from hermes_sdk.contract.hook_arguments import complete_arguments

        return self._fire(hook, complete_arguments(self._promised, hook, arguments))

    @property
    def _promised(self) -> contract.Contract:
        return contract.load(self.release)

    @abstractmethod
    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        """Fire a hook with exactly these arguments."""

    @abstractmethod
    def command(self, line: str) -> str | None:
        """Type a line such as ``/mystatus check`` into a CLI session and return what it prints.

        None when nothing is printed, or when no plugin has that command.
        """

    @abstractmethod
    def cli(self, *argv: str) -> CliResult:
        """Run ``hermes *argv`` for a CLI command of a plugin."""

    @property
    def memory(self) -> MemoryCommand:
        """What ``hermes memory`` does for a memory provider, such as ``memory.setup({"api_key": "k"})``."""
        return MemoryCommand(self.home, self._set_up_memory)

    @abstractmethod
    def _set_up_memory(self, provider: str, values: dict[str, str]) -> CliResult:
        """Run ``hermes memory setup`` for a provider, let somebody answer, and read ``.env`` as a new process does."""

    @abstractmethod
    def skill(self, name: str) -> Any:
        """What the tool ``skill_view`` answers for ``plugin:skill``, parsed from JSON."""

    @abstractmethod
    def rescan(self) -> None:
        """Discover again from scratch, as the host does on a forced rescan."""

    @abstractmethod
    def report(self, key: str | None = None) -> Report:
        """What the host gets from one plugin.

        Args:
            key: The plugin's key. Default: the only plugin there is.

        Raises:
            UsageError: No plugin has that key, or no key was given and there are several.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop the host and give back what it took; calling it twice does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
