"""Classes of ``gateway.platforms.base``: the base class of adapters, and the messages that they pass on."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from hermes_sdk.hosts.embedded.gateway.adapter.adapter import Adapter
from hermes_sdk.hosts.embedded.gateway.adapter.approval_prompts import ApprovalPrompts
from hermes_sdk.hosts.embedded.gateway.adapter.chunks import split_message
from hermes_sdk.hosts.embedded.gateway.adapter.media import Files
from hermes_sdk.hosts.embedded.gateway.adapter.sending import SendErrors, thread_metadata
from hermes_sdk.hosts.embedded.gateway.classes import GatewayClasses, Host
from hermes_sdk.hosts.embedded.host_classes import Classes, Defaults, of_module

_REFERENCES = re.compile(r"\A(?:@(?:image|file|url):[^\n]+\n?)+", re.IGNORECASE)
"""References to attachments at the beginning of a text, one per line."""


@of_module("gateway.platforms.base")
class EphemeralReply(str):
    """System message that the host may delete later."""

    ttl_seconds: int | None

    def __new__(cls, text: str, ttl_seconds: int | None = None) -> EphemeralReply:
        """Create a system message from a text."""
        message = super().__new__(cls, text)
        message.ttl_seconds = ttl_seconds
        return message

    @property
    def text(self) -> str:
        """The text as a plain string."""
        return str.__str__(self)


class _Message(Defaults):
    """An incoming message."""

    def _read_command(self: Any) -> str:
        """Return the text without spaces and references that may precede a command."""
        behaviour = self._gateway.state.behaviour
        text = str(self.text).lstrip() if behaviour.commands_may_be_indented else str(self.text)
        return _REFERENCES.sub("", text).lstrip() if behaviour.commands_follow_references else text

    def is_command(self: Any) -> bool:
        return self._read_command().startswith("/") and getattr(self, "allow_gateway_control", True)

    def get_command(self: Any) -> str | None:
        word = self._read_command().split(maxsplit=1)[0] if self.is_command() else ""
        name = word[1:].lower().partition("@")[0]
        return None if not word or "/" in name else name

    def get_command_args(self: Any) -> str:
        if not self.is_command():
            return str(self.text)
        rest = [*self._read_command().split(maxsplit=1), ""][1]
        # Keyboards may replace two hyphens with a dash.
        return re.sub("——|—|–", "--", rest)

    def absorb_reply_expected(self: Any, other: Any) -> None:
        if self.reply_expected is not True and other.reply_expected is not False:
            self.reply_expected = other.reply_expected


class AdapterClasses(GatewayClasses):
    """The classes of ``gateway.platforms.base``, and those of the gateway that they use, for one host."""

    EphemeralReply = EphemeralReply

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.constants = self.state.contract.section("constants")["gateway.platforms.base"]
        self.files = Files(self.constants, self.state.home_path, self.state.behaviour)
        self.errors = SendErrors(self.constants)
        classes = Classes(self.state, vars(self))
        self.ProcessingOutcome = classes.make("ProcessingOutcome")
        self.MessageType = classes.make("MessageType")
        self.SendResult = classes.make("SendResult")
        self.MessageEvent = classes.make("MessageEvent", _Message, _gateway=self)
        self.BasePlatformAdapter = classes.make("BasePlatformAdapter", self._bind(Adapter), **self._list_facts())

    def describe_thread(self, source: Any, reply_to_message_id: str | None = None) -> dict[str, Any] | None:
        """Return the metadata with which `send` addresses the thread of a source."""
        if source is None:
            return None
        metadata = thread_metadata(source)
        if metadata and source.platform.value == "telegram":
            raise self.state.unsupported("address a topic of Telegram")
        return metadata

    def _bind(self, defaults: type[Adapter]) -> type[Adapter]:
        """Add the static methods that split replies, and find and check the files named in them."""
        files = self.files
        members: dict[str, Callable[..., Any]] = {
            "extract_local_files": files.extract_named,
            "extract_media": files.tags.extract,
            "filter_local_delivery_paths": files.filter_paths,
            "filter_media_delivery_paths": files.filter_tagged,
            "strip_media_directives_for_display": files.tags.strip_for_display,
            "truncate_message": partial(split_message, closes_last=self.state.behaviour.last_chunks_closed),
            "validate_media_delivery_path": files.validate,
        }
        facts = self.state.contract.section("classes")["BasePlatformAdapter"]["members"]
        bases = (defaults, ApprovalPrompts) if "supports_exec_approval_buttons" in facts else (defaults,)
        return type("BoundAdapter", bases, {name: staticmethod(one) for name, one in members.items()})

    def _is_builtin(self, command: str) -> bool:
        return self.state.contract.resolve_slash_command(command) is not None

    def _list_facts(self) -> dict[str, Any]:
        """Return the attributes through which the defaults of an adapter use the host."""
        state = self.state
        return {
            "_gateway": self,
            "_behaviour": state.behaviour,
            "_wording": state.wording,
            "_swallow": staticmethod(partial(state.swallow, "gateway.platforms.base")),
            "_errors": self.errors,
            "_outcomes": self.ProcessingOutcome,
            "_is_builtin": staticmethod(self._is_builtin),
            "_is_retryable_error": staticmethod(self.errors.is_network_error),
        }
