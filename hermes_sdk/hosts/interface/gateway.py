"""What every host offers of its gateway to a test: chats where users write, and what the adapter was told to send."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, cast

from hermes_sdk.errors import HermesSdkError, UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from hermes_sdk.hosts.interface.host import Host
    from hermes_sdk.llm import ScriptedModel

TIME_LIMIT = 30.0
"""Seconds that a message may take until its chat is idle again."""

ALLOW_ALL = {"GATEWAY_ALLOW_ALL_USERS": "true"}
"""The variable that lets everybody write: where no list of allowed users is set, which it does not overrule."""

ChatKind = Literal["dm", "group", "channel", "thread"]


class Message(TypedDict, total=False):
    """One message that a user writes, in values that JSON can carry; empty or absent is the adapter's default."""

    platform: str
    text: str
    chat_id: str
    chat_name: str
    chat_type: ChatKind
    thread_id: str
    user_id: str
    user_name: str
    message_id: str


@dataclass(frozen=True)
class Sent:
    """One message that the gateway handed to the adapter's ``send``.

    Attributes:
        platform: The platform of the adapter.
        chat_id: Where it went.
        text: What was said.
        reply_to: The message that it answers, or None.
        metadata: What the gateway says about it, or None.
        success: What the adapter said of it: the field of its ``SendResult``, False also when ``send`` raised.
        message_id: The id that the adapter gave it, or None.
        error: Why it failed, or None.
    """

    platform: str
    chat_id: str
    text: str
    reply_to: str | None = None
    metadata: dict[str, Any] | None = None
    success: bool = True
    message_id: str | None = None
    error: str | None = None


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
        """Let the user write something, and wait until the chat is idle again.

        Args:
            text: What the user writes; a slash command when it begins with ``/``.
            message_id: The platform's id of the message. Default: ``m1``, ``m2``, … counted in the gateway.
            until: Return as soon as a message that contains this text was sent, although the chat is busy: a turn that
                waits for the user's approval ends only when the user has written again.
            time_limit: Seconds to wait.

        Returns:
            What the gateway sent to this chat meanwhile.

        Raises:
            HermesSdkError: The time is up, or the script of the model had no answer left.
        """
        __tracebackhide__ = True
        before = len(self.sent)
        self.says(text, message_id=message_id)
        if until is None:
            self.gateway.settle(time_limit)
        else:
            self.gateway.wait_for(self.source.get("chat_id", ""), before, until, time_limit)
        return self.sent[before:]

    def says(self, text: str, *, message_id: str | None = None) -> None:
        """Let the user write something, and do not wait for what comes of it; see `Gateway.settle`."""
        named = Message(message_id=message_id) if message_id else Message()
        self.gateway.receive({**self.source, **named, "text": text})

    @property
    def sent(self) -> list[Sent]:
        """Everything that the gateway sent to this chat."""
        chat, platform = self.source.get("chat_id"), self.source.get("platform")
        return [one for one in self.gateway.sent if (one.chat_id, one.platform) == (chat, platform)]


class Gateway(ABC):
    """A running gateway with the platforms that plugins bring. Its loop runs beside the test, so tests are functions.

    `Host.gateway` makes one. Its loop is the thread ``gateway``; agents take turns in threads ``hermes-gateway_…``.

    `Host.events` has, besides what it has of a session, the kinds ``adapter`` (a call of a method of
    ``BasePlatformAdapter`` that the plugin's class overrides; the name is the method's) and ``gateway_hook`` (a call of
    the handler of an event hook, with ``event_type`` and ``context``; the name is the event's). `Host.swallowed` has
    what leaves them: ``adapter <platform> <method>``, ``gateway hook <event>``, and ``gateway hook <directory>`` for
    one that does not load; and ``platform <name> <argument>`` for what is given to ``ctx.register_platform``.

    `interrupt` in a script means that no answer comes until the turn is stopped: by ``/stop``, or by what the user
    writes next. A function in the script can be the one who writes it.

    Args:
        host: The host that it belongs to.

    Attributes:
        host: The host that it belongs to.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self._received = itertools.count(1)

    @property
    def llm(self) -> ScriptedModel:
        """The scripted model that answers, as in `Host.llm`."""
        return self.host.llm

    def dm(self, user: str = "u1", *, chat: str | None = None, name: str = "", platform: str | None = None) -> Chat:
        """The chat of one user with the agent.

        Args:
            user: The platform's id of the user.
            chat: The platform's id of the chat. Default: the user's.
            name: The user's name.
            platform: The platform. Default: the only one that is connected.
        """
        return self.chat(_given(user_id=user, chat_id=chat, user_name=name, platform=platform))

    def group(
        self, chat: str = "g1", *, user: str = "u1", name: str = "", thread: str = "", platform: str | None = None
    ) -> Chat:
        """One user in a group chat; the arguments are those of `dm`, with the id of a thread."""
        source = _given(user_id=user, chat_id=chat, user_name=name, thread_id=thread, platform=platform)
        return self.chat({**source, "chat_type": "group"})

    def chat(self, source: Message) -> Chat:
        """The chat that messages come from.

        Args:
            source: What is known of it. The user is ``u1`` unless it says so, the chat is the one of this user with the
                agent, and the platform the only one that is connected.
        """
        user = source.get("user_id", "u1")
        platform = source.get("platform") or self._only()
        filled: Message = {"platform": platform, "chat_type": "dm", "chat_id": user, "user_id": user}
        return Chat(self, {**filled, **source})

    def _only(self) -> str:
        found = self.platforms
        if not found:
            told = [one.message for one in self.host.log if one.level != "INFO" and one.logger.startswith("gateway")]
            raise UsageError("\n".join(["no platform is connected. The gateway said:", *(told or ["nothing"])]))
        if len(found) > 1:
            raise UsageError(
                f"which platform? Connected: {', '.join(found)}", fix="Say it: hermes_gateway.dm(platform='…')."
            )
        return found[0]

    def settle(self, time_limit: float = TIME_LIMIT) -> None:
        """Wait until every chat is idle: no message is worked on or queued.

        Raises:
            HermesSdkError: The time is up, or the script of the model had no answer left.
        """
        __tracebackhide__ = True
        before = len(self.llm.problems())
        self._settle(time_limit)
        if problems := self.llm.problems()[before:]:
            raise HermesSdkError("\n".join(problems))

    @property
    @abstractmethod
    def platforms(self) -> list[str]:
        """The names of the platforms that are connected, sorted."""

    @property
    @abstractmethod
    def sent(self) -> list[Sent]:
        """Every message that was handed to an adapter, in order."""

    @property
    @abstractmethod
    def printed(self) -> list[str]:
        """What the gateway printed about event hooks: the lines that begin with ``[hooks]``."""

    def receive(self, message: Message) -> None:
        """Hand a message to its platform's adapter as if the platform had delivered it, and return at once.

        Any thread may call this. Text that begins with ``/`` is a message of the type COMMAND, any other one of the
        type TEXT. Without an id it gets ``m`` and the number of the message in this gateway.
        """
        number = next(self._received)
        named: Message = {**message, "message_id": message.get("message_id") or f"m{number}"}
        self.host.recording.add("message", named.get("platform", ""), thread="", arguments=named)
        self._receive(named)

    @abstractmethod
    def _receive(self, message: Message) -> None:
        """Hand a message that has an id to its platform's adapter."""

    @abstractmethod
    def wait_for(self, chat_id: str, start: int, text: str, time_limit: float) -> None:
        """Wait for a message to a chat that contains a text; the first ``start`` messages to it do not count."""

    @abstractmethod
    def _settle(self, time_limit: float) -> None:
        """Wait until every chat is idle.

        Raises:
            HermesSdkError: The time is up; the message names the chats that are busy.
        """

    @abstractmethod
    def stop(self) -> None:
        """Disconnect the adapters and end; calling it twice does nothing. `Host.close` does it too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _given(**fields: str | None) -> Message:
    """What is there of a message, without what is empty."""
    return cast("Message", {name: value for name, value in fields.items() if value})


def sent(fields: Mapping[str, Any]) -> Sent:
    """Make a `Sent` of what JSON carried."""
    return Sent(**fields)
