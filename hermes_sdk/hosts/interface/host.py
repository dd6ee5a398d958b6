"""The interfaces of a host, of its gateway, and of a chat with it.

One file because each refers to the others: a host starts its gateway, which opens chats and names its host.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from hermes_sdk import contract
from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.home import Home
from hermes_sdk.hosts.in_worker.recording import Recording

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.log import LogRecord
    from hermes_sdk.hosts.interface.memory import MemoryCommand
    from hermes_sdk.hosts.interface.report import HostKind, Report
    from hermes_sdk.hosts.interface.surfaces import Surface, SurfaceName
    from hermes_sdk.hosts.interface.values import (
        CliResult,
        HookCalls,
        Message,
        RawTurn,
        Sent,
        Swallowed,
        ToolResult,
        Turn,
        Unsupported,
    )
    from hermes_sdk.llm import Answer, Request, ScriptedModel

TIME_LIMIT = 30.0
"""Seconds that a message may take until its chat is idle again."""


class Host(ABC):
    """A running host with the plugins that its home enables.

    Lists of names are sorted and cover all plugins; `report` covers one.

    Attributes:
        recording: What callbacks see, while somebody asks for it.
        deadline: The time on `time.monotonic` after which a host in a process of its own stops what runs there.
    """

    kind: HostKind
    release: str
    home: Path

    def __init__(self, *, environment: Mapping[str, str] | None = None, record: bool = False) -> None:
        self.recording = Recording(keep=record)
        self._environment = dict(environment or {})
        self.deadline = float("inf")
        self._expected: list[str] = []
        self._expected_unsupported: list[str] = []
        self._hidden_before: list[Swallowed] = []
        self._unsupported_before: list[Unsupported] = []
        self._llm: ScriptedModel | None = None
        self._gateway: Gateway | None = None

    def configure(self, *, config: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> None:
        """Restart the host with more configuration and variables, such as the port of a test server.

        They are added to those of the marker ``hermes``, which is fixed before the test runs. Because a plugin may read
        its settings at any time, plugins are loaded from scratch, a gateway reconnects, and the log is emptied. The
        home with its files and the model's script stay. The embedded host undoes what the test changed in the process
        since the host started, including variables.

        Call it first. A plugin that does not load without a setting needs a value in the marker.

        Args:
            config: Merged into ``config.yaml``: mappings key by key; any other value replaces the previous one.
            env: Variables of the host's process.

        Raises:
            UsageError: The agent has taken a turn or a chat has a message, which a restart would lose; or an argument
                has the wrong type or changes the home.
            HermesSdkError: A loaded plugin does not load with these settings.
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
                fix="Remove it, and put files into `hermes.home`.",
            )
        self._refuse_restart()
        loaded = [key for key in self.plugins if self.report(key)["status"] == "loaded"]
        self._hidden_before += self.swallowed
        self._unsupported_before += self.unsupported
        Home(self.home).update_config(config or {})
        self._environment.update(env or {})
        self._restart()
        for key in loaded:
            report = self.report(key)
            if report["status"] != "loaded":
                why = report["error"] or "the host gives no reason"
                raise HermesSdkError(f"configure: {key} does not load with these settings ({report['status']}): {why}")

    def _refuse_restart(self) -> None:
        __tracebackhide__ = True
        asked = self._llm is not None and (self._llm.requests or self._llm.aux.requests)
        if asked or (self._gateway is not None and self._gateway.received):
            raise UsageError(
                "configure: the host has already received messages, which a restart would lose",
                fix="Call configure first, or pass the settings to @pytest.mark.hermes(config=…, env=…).",
            )

    def _restart(self) -> None:
        """Stop what runs, and start it again with the present configuration and environment."""
        self._stop()
        self._start()
        if self._llm is not None:
            self._serve(self._llm)
        if self._gateway is not None:
            self._configure_gateway()
            self._gateway.start()

    @abstractmethod
    def _start(self) -> None:
        """Start the host with the variables of `_environment`, and let it discover its plugins."""

    @abstractmethod
    def _stop(self) -> None:
        """Stop the host so that it can start again; the scripted model stays."""

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model that answers `chat` and, in its lane ``aux``, ``ctx.llm``.

        Its first use makes it the user's model in the home's ``config.yaml``, unless one is set there.
        """
        if self._llm is None:
            from hermes_sdk.llm import ScriptedModel

            self._llm = ScriptedModel()
            self._llm.observer = self._note_request
            self._serve(self._llm)
        return self._llm

    def unscripted(self) -> list[str]:
        """Return where the script and the requests differ: requests without an answer, and unused answers."""
        return [] if self._llm is None else [*self._llm.problems(), *self._llm.unused()]

    def _note_request(self, request: Request, answer: Answer) -> None:
        # Which thread asks is not behaviour towards plugins, and on the real host it is one of the server.
        self.recording.add("llm_request", request.lane, thread="", arguments=request.body, returned=answer)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What plugin callbacks saw and what the model was asked, in the order in which it began.

        Recorded only if the host was opened with ``record=True``. `recording.Recording.events` describes the form.
        """
        return self.events_since(0)

    def events_since(self, t: int) -> list[dict[str, Any]]:
        """Return the `events` that began at a time of `time.monotonic_ns` or later."""
        return self.recording.events_since(t)

    @abstractmethod
    def observe_builtins(self, results: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Add the calls of built-in tools to `events`, and optionally answer them instead of running the tools.

        Args:
            results: The answers in order, each ``{"tool", "args", "result"}``; without ``result`` the tool runs.
        """

    @abstractmethod
    def builtin_problems(self) -> list[str]:
        """Return the calls of built-in tools without an answer, and the unused answers; see `observe_builtins`."""

    @abstractmethod
    def observe_http(self, answers: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Add the HTTP requests that plugins make in their callbacks to `events`, and optionally answer them.

        Requests through `http.client` (which `urllib.request` and `requests` use) and `httpx` count. Without answers,
        they are sent, for which a real host gets the network of the machine.

        Args:
            answers: The answers in order, each ``{"method", "url", "status", "headers", "body"}``; see the key
                ``http_answers`` of a scenario. A request without an answer is refused.
        """

    @abstractmethod
    def http_problems(self) -> list[str]:
        """Return the requests without an answer, and the unused answers; see `observe_http`."""

    @abstractmethod
    def _serve(self, model: ScriptedModel) -> None:
        """Make a model the one that the host asks."""

    def chat(self, text: str) -> Turn:
        """Say something to the agent and wait for the end of its turn; the next call continues the session.

        The model is offered the plugins' tools, or those of ``platform_toolsets.cli`` in ``config.yaml``.

        Args:
            text: What the user says.

        Raises:
            HermesSdkError: The script had no answer left, or one of its functions failed.
            HostExited: Plugin code ended the host.
            UsageError: ``text`` is not a string.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.values import Turn
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
        """End the session as at the end of ``hermes chat``: ``on_session_finalize`` with the reason ``shutdown``.

        It does nothing if no session is open. `close` calls it.

        Returns:
            The hook calls.
        """

    def on(self, surface: SurfaceName) -> Surface:
        """Restart the host for one of its surfaces, on which the agent then takes turns: does a hook fire there?

        The embedded host has the surfaces ``cli`` and ``gateway``. The real host has, besides, ``cron`` (a job of the
        scheduler), ``serve`` (the backend of ``hermes serve``) and ``isolated`` (the CLI, with
        ``plugins.isolation: host``). A message reaches the gateway through a plugin that the host adds for it.

        Call it before the first turn; the settings of `configure` stay.

        Args:
            surface: The name of the surface.

        Raises:
            UsageError: There is no such surface in the release, or the agent has taken a turn.
            NotSupported: The embedded host does not model the surface.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.surfaces import open_surface

        return open_surface(self, surface)

    def _keep_events(self) -> None:
        """Keep what callbacks see, for `events`, from the next restart on."""
        self.recording.keep()

    @abstractmethod
    def _chat_on(self, surface: SurfaceName, text: str | None) -> str | None:
        """Take a turn on ``cron`` or ``serve``; None for a text ends the session on ``serve``, if one is open."""

    def gateway(self) -> Gateway:
        """Return this host's gateway: ``hermes gateway run`` with the plugins' platforms, started if necessary.

        It uses the scripted model. Unless ``config.yaml`` sets them, the model is offered the tools of `chat`
        (``platform_toolsets.<platform>``), and running tools are not announced in the chat
        (``display.tool_progress: off``), because these messages come at random before or after the answer.
        The home and the environment decide who may write: ``GATEWAY_ALLOW_ALL_USERS=true`` admits everybody.

        Raises:
            NotSupported: The host has no gateway.
        """
        if self._gateway is None:
            assert self.llm
            self._configure_gateway()
            made = self._make_gateway()
            made.start()
            self._gateway = made
        return self._gateway

    def _configure_gateway(self) -> None:
        from hermes_sdk.hosts.model_config import write_gateway

        platforms = [name for key in self.plugins for name in self.report(key)["platforms"]]
        write_gateway(self.home, platforms, self._names("toolsets"))

    @abstractmethod
    def _make_gateway(self) -> Gateway:
        """Make a gateway that has not been started; `_stop` calls `_stop_gateway` before anything else."""

    def _stop_gateway(self) -> None:
        if self._gateway is not None:
            self._gateway.stop()

    def expect_swallowed(self, *, match: str) -> None:
        """Expect the host to swallow an exception, so that the fixture ``hermes`` does not fail the test.

        Args:
            match: A regular expression to search for in ``where: Type: message``.
        """
        self._expected.append(match)

    def expect_unsupported(self, *, match: str) -> None:
        """Expect the use of something that the embedded host does not model, so that the test does not fail.

        The plugin then behaves differently than on the real host: the import fails, or the call raises.

        Args:
            match: A regular expression to search for in the failure: ``The embedded host does not … ``.
        """
        self._expected_unsupported.append(match)

    def unexpected(self) -> list[Swallowed]:
        """Return the unexpected exceptions that the host swallowed."""
        return [one for one in self._hidden() if not any(one.matches(pattern) for pattern in self._expected)]

    def unexpected_unsupported(self) -> list[Unsupported]:
        """Return the unexpected uses of what the host does not model."""
        patterns = self._expected_unsupported
        return [one for one in self._reached() if not any(one.matches(pattern) for pattern in patterns)]

    def unmet(self) -> list[str]:
        """Return the unmet expectations: of swallowed exceptions and, on the embedded host, of refusals."""
        unmet = [pattern for pattern in self._expected if not any(one.matches(pattern) for one in self._hidden())]
        if self.kind == "embedded":
            reached = self._reached()
            unmet += [one for one in self._expected_unsupported if not any(each.matches(one) for each in reached)]
        return unmet

    def _reached(self) -> list[Unsupported]:
        """What was reached that the host does not model, before `configure` too."""
        return [*self._unsupported_before, *self.unsupported]

    def _hidden(self) -> list[Swallowed]:
        """What the host hid, before `configure` too."""
        return [*self._hidden_before, *self.swallowed]

    @property
    def plugins(self) -> list[str]:
        """The keys of all discovered plugins, loaded or not."""
        return self._names("plugins")

    @property
    def tools(self) -> list[str]:
        """The plugins' tools that the registry kept."""
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

    @abstractmethod
    def _names(self, kind: str) -> list[str]:
        """Return the sorted names of one kind: those of the properties above, or ``toolsets`` of the plugins' tools."""

    @property
    @abstractmethod
    def log(self) -> list[LogRecord]:
        """Log records since the start of the host, at INFO and above."""

    @property
    @abstractmethod
    def swallowed(self) -> list[Swallowed]:
        """The plugins' exceptions that the host swallowed."""

    @property
    def unsupported(self) -> list[Unsupported]:
        """Uses of what the host does not model, including those whose exception plugin code swallowed.

        Refusals that raised in the test itself are left out. The real host has none.
        """
        return []

    @abstractmethod
    def call_tool(self, name: str, args: Mapping[str, Any] | None = None, /, **arguments: Any) -> ToolResult:
        """Call a tool as the model would: with middleware, hooks, coercion and result contract.

        Args:
            name: The tool.
            args: The arguments as a mapping, for names that are not Python identifiers.
            **arguments: The arguments as keywords.
        """

    @abstractmethod
    def definitions(self) -> list[dict[str, Any]]:
        """Return the plugins' tool definitions as the model receives them, sorted by name.

        Tools that their ``check_fn`` hides are absent.
        """

    def fire(self, hook: str, /, **arguments: Any) -> list[Any]:
        """Fire a hook and return the callbacks' return values without None.

        Omitted arguments that the release always passes get sample values.

        Raises:
            UsageError: The release has no such hook. To fire a hook that a plugin defines, call the tool or command
                that fires it.
        """
        __tracebackhide__ = True
        from hermes_sdk.contract.hook_arguments import complete_arguments
        from hermes_sdk.hosts.interface.names import require_hook

        require_hook(self, hook, self._promised)
        return self._fire(hook, complete_arguments(self._promised, hook, arguments))

    @property
    def _promised(self) -> contract.Contract:
        return contract.load(self.release)

    @abstractmethod
    def _fire(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        """Fire a hook with exactly these arguments."""

    def command(self, line: str) -> str | None:
        """Type a line such as ``/mystatus check`` into a CLI session and return its output, or None.

        It also accepts ``/new``, which begins another session.

        Raises:
            UsageError: No plugin has the command, or the line does not begin with a slash.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.names import require_command

        require_command(self, line, self._promised)
        return self._command(line)

    @abstractmethod
    def _command(self, line: str) -> str | None:
        """Type any line into a CLI session; None also for a line that no plugin answers."""

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
        """Run ``hermes memory setup`` for a provider, let somebody answer, and read ``.env`` as a new process does."""

    @abstractmethod
    def _list_memory_fields(self, provider: str) -> list[dict[str, Any]]:
        """Return what ``hermes memory setup`` asks about a provider."""

    @abstractmethod
    def skill(self, name: str) -> Any:
        """Return the parsed JSON result of ``skill_view`` for ``plugin:skill``."""

    @abstractmethod
    def rescan(self) -> None:
        """Discover plugins from scratch, as a forced rescan does."""

    @abstractmethod
    def report(self, key: str | None = None) -> Report:
        """Return what one plugin registered.

        Args:
            key: The plugin's key. Default: the only plugin.

        Raises:
            UsageError: No plugin has the key, or there are several plugins and no key.
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


_APPROVES = frozenset({"/approve", "!approve"})
"""The commands that answer a question of the host, with the signs of all platforms."""


class Gateway(ABC):
    """A running gateway with the plugins' platforms. It runs in another thread, so tests are ordinary functions.

    `Host.gateway` starts it. Its event loop runs in the thread ``gateway``, and agents in threads
    ``hermes-gateway_…``.

    `Host.events` also has the kinds ``adapter`` (a call of a ``BasePlatformAdapter`` method that the plugin's class
    overrides, by its name) and ``gateway_hook`` (a call of an event hook's handler, with ``event_type`` and
    ``context``, by the event's name). `Host.swallowed` has their exceptions: ``adapter <platform> <method>``,
    ``gateway hook <event>``, ``gateway hook <directory>`` for a hook that does not load, and
    ``platform <name> <argument>`` for callables passed to ``ctx.register_platform``.

    `interrupt` in a script withholds the answer until ``/stop`` or the user's next message stops the turn. A function
    in the script can send that message.

    Args:
        host: The host that it belongs to.

    Attributes:
        host: The host that it belongs to.
        received: How many messages users have written.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.received = 0
        self._asked: dict[str, frozenset[str]] = {}

    def configure(self, *, config: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> None:
        """Restart the gateway and its host with more configuration and variables; see `Host.configure`."""
        __tracebackhide__ = True
        self.host.configure(config=config, env=env)

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model that answers, as in `Host.llm`."""
        return self.host.llm

    def dm(self, user: str = "u1", *, chat: str | None = None, name: str = "", platform: str | None = None) -> Chat:
        """Return a user's direct chat with the agent.

        Args:
            user: The platform's id of the user.
            chat: The platform's id of the chat. Default: the user's.
            name: The user's name.
            platform: The platform. Default: the only connected one.
        """
        return self.chat(_drop_empty_fields(user_id=user, chat_id=chat, user_name=name, platform=platform))

    def group(
        self, chat: str = "g1", *, user: str = "u1", name: str = "", thread: str = "", platform: str | None = None
    ) -> Chat:
        """Return one user's view of a group chat; the arguments are those of `dm`, and the id of a thread."""
        source = _drop_empty_fields(user_id=user, chat_id=chat, user_name=name, thread_id=thread, platform=platform)
        return self.chat({**source, "chat_type": "group"})

    def chat(self, source: Message) -> Chat:
        """Return the chat that messages come from.

        Args:
            source: Its known facts. Defaults: the user ``u1``, that user's direct chat, and the only connected
                platform.
        """
        user = source.get("user_id", "u1")
        platform = source.get("platform") or self._only()
        filled: Message = {"platform": platform, "chat_type": "dm", "chat_id": user, "user_id": user}
        return Chat(self, {**filled, **source})

    def _only(self) -> str:
        found = self.platforms
        if not found:
            told = [one.message for one in self.host.log if one.level != "INFO" and one.logger.startswith("gateway")]
            raise UsageError("\n".join(["no platform is connected. The gateway logged:", *(told or ["nothing"])]))
        if len(found) > 1:
            raise UsageError(
                f"more than one platform is connected: {', '.join(found)}",
                fix="Name one: hermes_gateway.dm(platform='…').",
            )
        return found[0]

    def settle(self, time_limit: float = TIME_LIMIT) -> None:
        """Wait until every chat is idle: no message is in progress or queued.

        Raises:
            HermesSdkError: Timed out, or the script had no answer left.
        """
        __tracebackhide__ = True
        self._settle_but(frozenset(), time_limit)

    def settle_chat(self, chat_id: str, time_limit: float) -> None:
        """Wait until a chat is idle, and every other one that does not wait for its user; see `settle`."""
        __tracebackhide__ = True
        self._asked.pop(chat_id, None)
        self._settle_but(frozenset().union(*self._asked.values()), time_limit)

    def _settle_but(self, asked: Set[str], time_limit: float) -> None:
        __tracebackhide__ = True
        before = len(self.llm.problems())
        self._settle(asked, time_limit)
        if problems := self.llm.problems()[before:]:
            raise HermesSdkError("\n".join(problems))

    @property
    @abstractmethod
    def platforms(self) -> list[str]:
        """The names of the connected platforms, sorted."""

    @property
    @abstractmethod
    def sent(self) -> list[Sent]:
        """All messages passed to adapters, in order."""

    @property
    @abstractmethod
    def printed(self) -> list[str]:
        """The lines that the gateway printed about event hooks, which begin with ``[hooks]``."""

    def receive(self, message: Message) -> None:
        """Pass a message to its platform's adapter, as the platform would, and return at once.

        This is thread-safe. The message has the type COMMAND if its text begins with ``/``, otherwise TEXT. Its default
        id is ``m`` and its number in this gateway.
        """
        self.received += 1
        named: Message = {**message, "message_id": message.get("message_id") or f"m{self.received}"}
        self.host.recording.add("message", named.get("platform", ""), thread="", arguments=named)
        self._receive(named)

    @abstractmethod
    def _receive(self, message: Message) -> None:
        """Hand a message that has an id to its platform's adapter."""

    def wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        """Wait for a message with a text in a chat, after its first ``start`` messages; the chat then waits too."""
        __tracebackhide__ = True
        self._asked.pop(chat_id, None)
        self._wait_for(chat_id, start, text, time_limit)
        self._asked[chat_id] = frozenset(self._list_busy()).difference(*self._asked.values())

    @abstractmethod
    def _wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        """Wait for a message with a text in a chat, after its first ``start`` messages."""

    def _has_arrived(self, chat_id: str, start: int, text: str) -> bool:
        """Return whether a chat got a message with a text after its first ``start`` messages.

        A question that the host marks as one offers ``/approve`` in any language.
        """
        return any(
            text in one.text or (text in _APPROVES and bool(one.metadata and one.metadata.get("is_approval_prompt")))
            for one in [one for one in self.sent if one.chat_id == chat_id][start:]
        )

    @abstractmethod
    def _list_busy(self) -> Iterable[str]:
        """Return the sessions of the chats that are not idle."""

    @abstractmethod
    def _settle(self, asked: Set[str], time_limit: float) -> None:
        """Wait until every chat is idle, except those with one of these sessions.

        Raises:
            HermesSdkError: The time is up; the message names the chats that are busy.
        """

    @abstractmethod
    def start(self) -> None:
        """Connect the adapters; `Host.gateway` and `Host.configure` call it."""

    @abstractmethod
    def stop(self) -> None:
        """Disconnect the adapters and stop; a second call does nothing. `Host.close` calls it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


@dataclass(frozen=True)
class Chat:
    """One chat of one user, from the platform's side.

    Args:
        gateway: The gateway that serves it.
        source: Where its messages come from: all of `Message` but the text and its id.
    """

    gateway: Gateway
    source: Message

    def receives(
        self, text: str, *, message_id: str | None = None, until: str | None = None, time_limit: float = TIME_LIMIT
    ) -> list[Sent]:
        """Send a user's message, and wait until the chat is idle again.

        Args:
            text: What the user writes; a slash command if it begins with ``/``.
            message_id: The platform's id of the message. Default: ``m1``, ``m2``, … counted in the gateway.
            until: Return once a message with this text was sent, even if the chat is busy: a turn that waits for the
                user's approval ends only after the user's next message.
            time_limit: Seconds to wait.

        Returns:
            What the gateway sent to this chat meanwhile.

        Raises:
            HermesSdkError: Timed out, or the script had no answer left.
        """
        __tracebackhide__ = True
        before = len(self.sent)
        self.says(text, message_id=message_id)
        if until is None:
            self.gateway.settle_chat(self.source.get("chat_id", ""), time_limit)
        else:
            self.gateway.wait_for(self.source.get("chat_id", ""), before, until, time_limit)
        return self.sent[before:]

    def says(self, text: str, *, message_id: str | None = None) -> None:
        """Send a user's message without waiting for the result; see `Gateway.settle`."""
        named: Message = {"message_id": message_id} if message_id else {}
        self.gateway.receive({**self.source, **named, "text": text})

    @property
    def sent(self) -> list[Sent]:
        """Everything that the gateway sent to this chat."""
        chat, platform = self.source.get("chat_id"), self.source.get("platform")
        return [one for one in self.gateway.sent if (one.chat_id, one.platform) == (chat, platform)]


def _drop_empty_fields(**fields: str | None) -> Message:
    """The parts of a message that are not empty."""
    return cast("Message", {name: value for name, value in fields.items() if value})
