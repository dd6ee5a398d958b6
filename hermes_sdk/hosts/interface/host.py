"""Interfaces of a host, its gateway and the gateway's chats.

They share a module because they refer to each other: a host starts its gateway, which opens chats.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.hosts.interface.plugin_host import PluginHost

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.surfaces import Surface, SurfaceName
    from hermes_sdk.hosts.interface.values import Message, Sent
    from hermes_sdk.llm import ScriptedModel

TIME_LIMIT = 30.0
"""Seconds after which a message that keeps its chat busy times out."""


class Host(PluginHost):
    """A running host with the plugins that its home enables, its gateway and its other surfaces.

    Lists of names are sorted and cover all plugins; `report` covers one.
    """

    def __init__(self, *, environment: Mapping[str, str] | None = None, record: bool = False) -> None:
        super().__init__(environment=environment, record=record)
        self._gateway: Gateway | None = None

    def _has_received_messages(self) -> bool:
        return super()._has_received_messages() or (self._gateway is not None and self._gateway.received > 0)

    def _restart(self) -> None:
        super()._restart()
        if self._gateway is not None:
            self._configure_gateway()
            self._gateway.start()

    def on(self, surface: SurfaceName) -> Surface:
        """Restart the host and return one of its surfaces, to test which hooks fire there.

        The embedded host has ``cli`` and ``gateway``. The real host also has ``cron`` (a scheduled job), ``serve`` (the
        backend of ``hermes serve``) and ``isolated`` (the CLI with ``plugins.isolation: host``). For ``gateway``, the
        host adds a platform plugin.

        Call it before the first turn. The settings of `configure` are kept.

        Args:
            surface: The name of the surface.

        Raises:
            UsageError: The release lacks the surface, or the agent has taken a turn.
            NotSupported: The embedded host does not model the surface.
        """
        __tracebackhide__ = True
        from hermes_sdk.hosts.interface.surfaces import Surface, add_platform, require_surface, write_toolsets
        from hermes_sdk.hosts.interface.values import ALLOW_ALL

        chosen = require_surface(surface, self.kind, self.release, self._promised.behaviour)
        if chosen == "gateway":
            add_platform(self.home)
        self._keep_events()
        config = {"plugins": {"isolation": "host"}} if chosen == "isolated" else {}
        self.configure(config=config, env=ALLOW_ALL if chosen == "gateway" else {})
        write_toolsets(self.home, chosen, self.toolsets)
        chat, end = self._open_surface(chosen)
        return Surface(chosen, chat, end, lambda: self.events)

    def _open_surface(self, surface: SurfaceName) -> tuple[Callable[[str], str | None], Callable[[], object]]:
        """Return a function that takes a turn on a surface, and a function that ends its session."""
        from hermes_sdk.hosts.interface.surfaces import PLATFORM

        def write(text: str) -> str | None:
            __tracebackhide__ = True
            sent = self.gateway().dm(platform=PLATFORM).receives(text)
            return sent[-1].text if sent else None

        if surface in ("cli", "isolated"):
            return lambda text: self.chat(text).reply, self.finish
        if surface == "gateway":
            return write, lambda: self.gateway().stop()
        end = (lambda: self._chat_on(surface, None)) if surface == "serve" else (lambda: None)
        return lambda text: self._take_scripted_turn(lambda: self._chat_on(surface, text)), end

    def _keep_events(self) -> None:
        """Record events for `events` from the next restart on."""
        self.recording.keep()

    @abstractmethod
    def _chat_on(self, surface: SurfaceName, text: str | None) -> str | None:
        """Take a turn on ``cron`` or ``serve``; if the text is None, end an open session on ``serve``."""

    def gateway(self) -> Gateway:
        """Return this host's gateway (``hermes gateway run`` with the plugins' platforms), and start it if necessary.

        Unless ``config.yaml`` sets them, the model is offered the tools of `chat` (``platform_toolsets.<platform>``),
        and running tools are not announced (``display.tool_progress: off``), because these messages arrive at random
        times. Home and environment decide who may write: ``GATEWAY_ALLOW_ALL_USERS=true`` allows all.

        Raises:
            NotSupported: The host has no gateway.
        """
        if self._gateway is None:
            assert self.llm
            self._configure_gateway()
            gateway = self._make_gateway()
            gateway.start()
            self._gateway = gateway
        return self._gateway

    def _configure_gateway(self) -> None:
        from hermes_sdk.hosts.model_config import write_gateway

        platforms = [name for key in self.plugins for name in self.report(key)["platforms"]]
        write_gateway(self.home, platforms, self.toolsets)

    @abstractmethod
    def _make_gateway(self) -> Gateway:
        """Create a gateway without starting it; `_stop` must call `_stop_gateway` first."""

    def _stop_gateway(self) -> None:
        if self._gateway is not None:
            self._gateway.stop()


_APPROVAL_COMMANDS = frozenset({"/approve", "!approve"})
"""The command that approves a tool call, with the command prefixes of all platforms."""


class Gateway(ABC):
    """A running gateway with the plugins' platforms, in its own thread; tests need not be coroutines.

    Its event loop runs in the thread ``gateway``, agents in threads named ``hermes-gateway_…``.

    `Host.events` also has the kinds ``adapter`` (a call of an overridden ``BasePlatformAdapter`` method) and
    ``gateway_hook`` (a call of an event hook's handler, with ``event_type`` and ``context``). `Host.swallowed` has
    their exceptions: ``adapter <platform> <method>``, ``gateway hook <event>``, ``gateway hook <directory>`` for a hook
    that does not load, and ``platform <name> <argument>`` for callables passed to ``ctx.register_platform``.

    `interrupt` in a script withholds the answer until ``/stop`` or the user's next message, which a function in the
    script can send, stops the turn.

    Args:
        host: The gateway's host.

    Attributes:
        host: The gateway's host.
        received: The number of messages from users.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self.received = 0
        self._asked: dict[str, frozenset[str]] = {}

    def configure(self, *, config: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> None:
        """Restart the gateway and its host with additional configuration and variables; see `Host.configure`."""
        __tracebackhide__ = True
        self.host.configure(config=config, env=env)

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model; see `Host.llm`."""
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
        """Return one user's view of a group chat, or of a thread in it; see `dm` for the other arguments."""
        source = _drop_empty_fields(user_id=user, chat_id=chat, user_name=name, thread_id=thread, platform=platform)
        return self.chat({**source, "chat_type": "group"})

    def chat(self, source: Message) -> Chat:
        """Return the chat that messages with these fields come from.

        Args:
            source: The fields. Defaults: the user ``u1``, their direct chat, the only connected platform.
        """
        user = source.get("user_id", "u1")
        platform = source.get("platform") or self._find_platform()
        filled: Message = {"platform": platform, "chat_type": "dm", "chat_id": user, "user_id": user}
        return Chat(self, {**filled, **source})

    def _find_platform(self) -> str:
        platforms = self.platforms
        if not platforms:
            logged = [one.message for one in self.host.log if one.level != "INFO" and one.logger.startswith("gateway")]
            raise UsageError("\n".join(["no platform is connected. The gateway logged:", *(logged or ["nothing"])]))
        if len(platforms) > 1:
            raise UsageError(
                f"more than one platform is connected: {', '.join(platforms)}",
                fix="Name one: hermes_gateway.dm(platform='…').",
            )
        return platforms[0]

    def settle(self, time_limit: float = TIME_LIMIT) -> None:
        """Wait until every chat is idle: no message is in progress or queued.

        Raises:
            HermesSdkError: Timed out, or the script had no more answers.
        """
        __tracebackhide__ = True
        self._settle_except(frozenset(), time_limit)

    def settle_chat(self, chat_id: str, time_limit: float) -> None:
        """Wait until a chat is idle, and all other chats except those that wait for their users; see `settle`."""
        __tracebackhide__ = True
        self._asked.pop(chat_id, None)
        self._settle_except(frozenset().union(*self._asked.values()), time_limit)

    def _settle_except(self, asked: Set[str], time_limit: float) -> None:
        """Wait until all chats except those of the `asked` sessions are idle, and report problems of the script."""
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

    def sent_to(self, platform: str, chat_id: str) -> list[Sent]:
        """Return the messages that were sent to one chat, in order."""
        return [one for one in self.sent if (one.platform, one.chat_id) == (platform, chat_id)]

    @property
    @abstractmethod
    def printed(self) -> list[str]:
        """The gateway's output about event hooks: lines with ``[hooks]``."""

    def receive(self, message: Message) -> None:
        """Pass a message to its platform's adapter, as the platform would, and return immediately.

        This is thread-safe. The message has the type COMMAND if its text begins with ``/``, otherwise TEXT. The default
        ids are ``m1``, ``m2``, … per gateway.
        """
        self.received += 1
        complete: Message = {**message, "message_id": message.get("message_id") or f"m{self.received}"}
        self.host.recording.add("message", complete.get("platform", ""), thread="", arguments=complete)
        self._receive(complete)

    @abstractmethod
    def _receive(self, message: Message) -> None:
        """Pass a message with an id to its platform's adapter."""

    def wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        """Wait for a message with a text in a chat, after its first ``start`` messages.

        Afterwards, `settle_chat` of another chat does not wait for this one, because it waits for its user.
        """
        __tracebackhide__ = True
        self._asked.pop(chat_id, None)
        self._wait_for(chat_id, start, text, time_limit)
        self._asked[chat_id] = frozenset(self._list_busy()).difference(*self._asked.values())

    @abstractmethod
    def _wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        """Wait for a message with a text in a chat, after its first ``start`` messages."""

    def _has_arrived(self, chat_id: str, start: int, text: str) -> bool:
        """Return whether a chat received a message with a text after its first ``start`` messages.

        A message that the host marks as an approval prompt counts as one with ``/approve``, in any language.
        """
        return any(
            text in one.text
            or (text in _APPROVAL_COMMANDS and bool(one.metadata and one.metadata.get("is_approval_prompt")))
            for one in [one for one in self.sent if one.chat_id == chat_id][start:]
        )

    @abstractmethod
    def _list_busy(self) -> Iterable[str]:
        """Return the sessions of the busy chats."""

    @abstractmethod
    def _settle(self, asked: Set[str], time_limit: float) -> None:
        """Wait until every chat is idle, except those with one of these sessions.

        Raises:
            HermesSdkError: Timed out; the message names the busy chats.
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
        gateway: The gateway that serves the chat.
        source: The fields of the chat's messages, except the text and the id.
    """

    gateway: Gateway
    source: Message

    def receives(
        self, text: str, *, message_id: str | None = None, until: str | None = None, time_limit: float = TIME_LIMIT
    ) -> list[Sent]:
        """Send a user's message, and wait until the chat is idle again.

        Args:
            text: The user's message; a slash command if it begins with ``/``.
            message_id: The platform's id of the message. Default: ``m1``, ``m2``, … per gateway.
            until: Return once a message with this text was sent, even if the chat is busy, such as a turn that waits
                for an approval.
            time_limit: Seconds to wait.

        Returns:
            The messages sent to this chat meanwhile.

        Raises:
            HermesSdkError: Timed out, or the script had no more answers.
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
        fields: Message = {"message_id": message_id} if message_id else {}
        self.gateway.receive({**self.source, **fields, "text": text})

    @property
    def sent(self) -> list[Sent]:
        """All messages that the gateway sent to this chat."""
        return self.gateway.sent_to(self.source.get("platform", ""), self.source.get("chat_id", ""))


def _drop_empty_fields(**fields: str | None) -> Message:
    """Return a message with the fields that are not empty."""
    return cast("Message", {name: value for name, value in fields.items() if value})
