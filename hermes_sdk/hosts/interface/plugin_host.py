"""Interface of a running host with its plugins: registrations, calls, and swallowed exceptions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.recording import Recording

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.log import LogRecord
    from hermes_sdk.hosts.interface.memory import MemoryCommand
    from hermes_sdk.hosts.interface.report import HostKind, Report
    from hermes_sdk.hosts.interface.values import (
        CliResult,
        HookCalls,
        RawTurn,
        Swallowed,
        ToolResult,
        Turn,
        Unsupported,
    )
    from hermes_sdk.llm import Answer, Request, ScriptedModel

T = TypeVar("T")


class PluginHost(ABC):
    """A running host with the plugins that its home enables; `Host` adds the gateway and the surfaces.

    Attributes:
        recording: The recorded calls of callbacks, while recording is on.
        deadline: The time of `time.monotonic` after which a host in its own process stops running calls.
    """

    kind: HostKind
    home: Path

    def __init__(self, *, environment: Mapping[str, str] | None = None, record: bool = False) -> None:
        self.recording = Recording(keep=record)
        self._environment = dict(environment or {})
        self.deadline = float("inf")
        self._expected: list[str] = []
        self._expected_unsupported: list[str] = []
        self._swallowed_before: list[Swallowed] = []
        self._unsupported_before: list[Unsupported] = []
        self._llm: ScriptedModel | None = None

    @property
    def release(self) -> str:
        """The release of Hermes, such as ``0.22.2``."""
        return self._release

    @release.setter
    def release(self, name: str) -> None:
        self._release = contract.split_location(name)[0]

    def configure(self, *, config: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> None:
        """Restart the host with additional configuration and variables, such as the port of a test server.

        They are added to those of the marker ``hermes``. Plugins are reloaded, a gateway reconnects, and the log is
        cleared; the files in the home and the model's script are kept. The embedded host undoes the test's changes to
        the process, including environment variables.

        Call it first. Settings without which a plugin does not load belong in the marker.

        Args:
            config: Values for ``config.yaml``: mappings are merged, other values replaced.
            env: Variables of the host's process.

        Raises:
            UsageError: After a turn or a message, which a restart would lose; or an argument has the wrong type or
                changes the home.
            HermesSdkError: A plugin does not load with these settings.
        """
        __tracebackhide__ = True
        from hermes_sdk.llm.answers import expect

        expect("configure: config", config or {}, Mapping)
        expect("configure: env", env or {}, Mapping)
        for name, value in (env or {}).items():
            expect(f"configure: {name} in env", value, str)
        if "HERMES_HOME" in (env or {}):
            raise UsageError(
                "configure: env must not contain HERMES_HOME, because a host keeps its home",
                fix="Remove the variable, and put files into `hermes.home`.",
            )
        if self._has_received_messages():
            raise UsageError(
                "configure: the host has already received messages, which a restart would lose",
                fix="Call configure first, or pass the settings to @pytest.mark.hermes(config=…, env=…).",
            )
        loaded = [key for key in self.plugins if self.report(key)["status"] == "loaded"]
        self._swallowed_before += self.swallowed
        self._unsupported_before += self.unsupported
        Home(self.home).update_config(config or {})
        self._environment.update(env or {})
        self._restart()
        for key in loaded:
            report = self.report(key)
            if report["status"] != "loaded":
                why = report["error"] or "the host gives no reason"
                raise HermesSdkError(f"configure: {key} does not load with these settings ({report['status']}): {why}")

    def _has_received_messages(self) -> bool:
        return self._llm is not None and bool(self._llm.requests or self._llm.aux.requests)

    def _restart(self) -> None:
        """Stop the host, and start it again with the current configuration and environment."""
        self._stop()
        self._start()
        if self._llm is not None:
            self._serve(self._llm)

    @abstractmethod
    def _start(self) -> None:
        """Start the host with the variables of `_environment`, and let it discover its plugins."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop the host so that it can be started again; the scripted model is kept."""

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model that answers `chat` and, in its lane ``aux``, ``ctx.llm``. On first use, it becomes the
        model in the home's ``config.yaml``, unless one is set.
        """
        if self._llm is None:
            from hermes_sdk.llm import ScriptedModel

            self._llm = ScriptedModel()
            self._llm.observer = self._note_request
            self._serve(self._llm)
        return self._llm

    def unscripted(self) -> list[str]:
        """Return the differences between script and requests: requests without an answer, and unused answers."""
        return [] if self._llm is None else [*self._llm.problems(), *self._llm.unused()]

    def _note_request(self, request: Request, answer: Answer) -> None:
        # Record no thread: plugins cannot see which thread sends a request, and the real host's would be the server's.
        self.recording.add_immutable(
            "llm_request", request.lane, lambda: {"thread": "", "arguments": request.body, "returned": answer}
        )

    @property
    def events(self) -> list[dict[str, Any]]:
        """Calls of plugin callbacks and requests to the model, in the order in which they began, if the host was opened
        with ``record=True``.
        """
        return self.events_since(0)

    def events_since(self, t: int) -> list[dict[str, Any]]:
        """Return the `events` that began at or after a time of `time.monotonic_ns`."""
        return self.recording.events_since(t)

    @abstractmethod
    def observe_builtins(self, results: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Add the calls of built-in tools to `events`, and optionally replay results instead of running the tools.

        Args:
            results: The results in order: ``{"tool", "args", "result"}``; without ``result``, the tool runs.
        """

    @abstractmethod
    def builtin_problems(self) -> list[str]:
        """Return the calls of built-in tools without a result, and the unused results; see `observe_builtins`."""

    @abstractmethod
    def observe_http(self, answers: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Add the HTTP requests that plugins make in their callbacks to `events`, and optionally answer them.

        This covers `http.client` (with `urllib.request` and `requests`) and `httpx`. Without answers, requests are
        sent, and a real host may use the network.

        Args:
            answers: The answers in order: ``{"method", "url", "status", "headers", "body"}``, as ``http_answers`` of a
                scenario. Other requests are rejected.
        """

    @abstractmethod
    def http_problems(self) -> list[str]:
        """Return the requests without an answer, and the unused answers; see `observe_http`."""

    @abstractmethod
    def _serve(self, model: ScriptedModel) -> None:
        """Set the model that answers the host's requests."""

    def chat(self, text: str) -> Turn:
        """Send a message to the agent and wait until its turn ends; the next call continues the session.

        The model is offered the plugins' tools, or those of ``platform_toolsets.cli`` in ``config.yaml``.

        Args:
            text: The user's message.

        Raises:
            HermesSdkError: The script had no more answers, or one of its functions failed.
            HostExited: Plugin code ended the host.
            UsageError: ``text`` is not a string.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.values import Turn
        from hermes_sdk.llm.answers import expect

        expect("chat: text", text, str)
        return self._take_scripted_turn(lambda: Turn.of(self._chat(text)))

    def _take_scripted_turn(self, take: Callable[[], T]) -> T:
        """Take a turn, and raise an exception if the script had no answer for it."""
        __tracebackhide__ = True
        before = len(self.llm.problems())
        result = take()
        if problems := self.llm.problems()[before:]:
            raise HermesSdkError("\n".join(problems))
        return result

    @abstractmethod
    def _chat(self, text: str) -> RawTurn:
        """Take a turn."""

    @abstractmethod
    def finish(self) -> HookCalls:
        """End the session as ``hermes chat`` does: fire ``on_session_finalize`` with the reason ``shutdown``.

        Does nothing if no session is open. `close` calls it.

        Returns:
            The hook calls.
        """

    def expect_swallowed(self, *, match: str) -> None:
        """Expect the host to swallow an exception, so that the test does not fail.

        Args:
            match: Regular expression to find in ``where: Type: message``.
        """
        self._expected.append(match)

    def expect_unsupported(self, *, match: str) -> None:
        """Expect the use of a feature that the embedded host does not model, so that the test does not fail.

        Args:
            match: Regular expression to find in ``The embedded host does not …``.
        """
        self._expected_unsupported.append(match)

    def unexpected(self) -> list[Swallowed]:
        """Return the unexpected exceptions that the host swallowed."""
        return [one for one in self._all_swallowed() if not any(one.matches(pattern) for pattern in self._expected)]

    def unexpected_unsupported(self) -> list[Unsupported]:
        """Return the unexpected uses of features that the host does not model."""
        patterns = self._expected_unsupported
        return [one for one in self._all_unsupported() if not any(one.matches(pattern) for pattern in patterns)]

    def unmet(self) -> list[str]:
        """Return the unmet expectations of swallowed exceptions and, on the embedded host, of unsupported features."""
        swallowed = self._all_swallowed()
        unmet = [pattern for pattern in self._expected if not any(one.matches(pattern) for one in swallowed)]
        if self.kind == "embedded":
            used = self._all_unsupported()
            unmet += [one for one in self._expected_unsupported if not any(each.matches(one) for each in used)]
        return unmet

    def _all_unsupported(self) -> list[Unsupported]:
        """Return the uses of unsupported features, including those before `configure`."""
        return [*self._unsupported_before, *self.unsupported]

    def _all_swallowed(self) -> list[Swallowed]:
        """Return the swallowed exceptions, including those before `configure`."""
        return [*self._swallowed_before, *self.swallowed]

    @property
    def plugins(self) -> list[str]:
        """The keys of all discovered plugins, loaded or not."""
        return self._names("plugins")

    @property
    def tools(self) -> list[str]:
        """The plugins' tools in the registry."""
        return self._names("tools")

    @property
    def hooks(self) -> list[str]:
        """The hooks with a callback."""
        return self._names("hooks")

    @property
    def commands(self) -> list[str]:
        """The plugins' slash commands, without the slash."""
        return self._names("commands")

    @property
    def cli_commands(self) -> list[str]:
        """The plugins' CLI commands: the ``x`` of ``hermes x``."""
        return self._names("cli_commands")

    @property
    def skills(self) -> list[str]:
        """The plugins' skills, as ``plugin:skill``."""
        return self._names("skills")

    @property
    def toolsets(self) -> list[str]:
        """The toolsets of the plugins' tools."""
        return self._names("toolsets")

    @abstractmethod
    def _names(self, kind: str) -> list[str]:
        """Return the sorted names for one of the properties above."""

    @property
    @abstractmethod
    def log(self) -> list[LogRecord]:
        """Log records since the start of the host, at level INFO and above."""

    @property
    @abstractmethod
    def swallowed(self) -> list[Swallowed]:
        """The plugins' exceptions that the host swallowed."""

    @property
    def unsupported(self) -> list[Unsupported]:
        """Uses of features that the embedded host does not model, including those whose exceptions plugin code
        swallowed, without those raised to the test.
        """
        return []

    @abstractmethod
    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool as the model would: with middleware, hooks, coercion and checks of the result.

        Args:
            name: The tool.
            args: The arguments as a mapping, for names that are not identifiers.
            **arguments: The arguments as keywords.
        """

    @abstractmethod
    def definitions(self) -> list[dict[str, Any]]:
        """Return the plugins' tool definitions as the model receives them, sorted by name.

        Tools whose ``check_fn`` returns False are not included.
        """

    def fire(self, hook: str, /, **arguments: Any) -> list[Any]:
        """Fire a hook and return the callbacks' return values, except None.

        Arguments that the release always passes default to sample values.

        Raises:
            UsageError: The release has no such hook. For a plugin's own hook, call what fires it.
        """
        __tracebackhide__ = True
        from hermes_sdk.contract.hook_arguments import complete_arguments
        from hermes_sdk.hosts.interface.names import require_hook

        require_hook(hook, self.release, self._promised, self.hooks)
        return self._fire(hook, complete_arguments(self._promised, hook, arguments))

    @property
    def _promised(self) -> contract.Contract:
        return contract.load_closest(self.release)

    @abstractmethod
    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        """Fire a hook with exactly these arguments."""

    def command(self, line: str) -> str | None:
        """Run a slash command such as ``/mystatus check`` in a CLI session and return its output, or None.

        It also accepts ``/new``, which begins a new session.

        Raises:
            UsageError: No plugin has the command, or the line does not begin with a slash.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.names import require_command

        require_command(line, self._promised, self.commands)
        return self._command(line)

    @abstractmethod
    def _command(self, line: str) -> str | None:
        """Type a line into a CLI session and return its output; None if there is none or no plugin handles the line."""

    @abstractmethod
    def cli(self, *argv: str) -> CliResult:
        """Run a plugin's CLI command, ``hermes *argv``."""

    @property
    def memory(self) -> MemoryCommand:
        """The command ``hermes memory`` for a memory provider, such as ``memory.setup({"api_key": "k"})``."""
        from hermes_sdk.hosts.interface.memory import MemoryCommand

        return MemoryCommand(self.home, self._set_up_memory, self._list_memory_fields)

    @abstractmethod
    def _set_up_memory(self, provider: str, values: dict[str, str]) -> CliResult:
        """Run ``hermes memory setup`` for a provider with these answers, then load ``.env`` as a new process does."""

    @abstractmethod
    def _list_memory_fields(self, provider: str) -> list[dict[str, Any]]:
        """Return the fields of a provider that ``hermes memory setup`` asks for."""

    @abstractmethod
    def skill(self, name: str) -> Any:
        """Return the parsed JSON result of ``skill_view`` for ``plugin:skill``."""

    @abstractmethod
    def rescan(self) -> None:
        """Discover plugins again, as a forced rescan does."""

    @abstractmethod
    def report(self, key: str | None = None) -> Report:
        """Return what one plugin registered.

        Args:
            key: The plugin's key. Default: the only plugin.

        Raises:
            UsageError: No plugin has the key, or several plugins and no key.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop the host and release its resources; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
