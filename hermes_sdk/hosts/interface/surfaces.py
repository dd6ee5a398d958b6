"""The surfaces of a host: the places where its agent takes turns, and on which a hook may or may not fire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from hermes_sdk.errors import HermesSdkError, UsageError
from hermes_sdk.files import write_files
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface.errors import NotSupported
from hermes_sdk.hosts.interface.values import ALLOW_ALL, HookCalls
from hermes_sdk.hosts.model_config import write_gateway

if TYPE_CHECKING:
    from hermes_sdk.hosts.interface.host import Chat, Host

SurfaceName = Literal["cli", "gateway", "cron", "serve", "isolated"]

SURFACES: tuple[SurfaceName, ...] = get_args(SurfaceName)
"""The names of all surfaces."""

_EMBEDDED = ("cli", "gateway")

PLATFORM = "sdksurface"
"""The platform, and the plugin, through which a message reaches the gateway."""

_MANIFEST = f"""\
name: {PLATFORM}
version: 1.0.0
description: A chat in which a test writes to the gateway.
kind: platform
"""

_CODE = f'''\
"""A platform whose messages come from a test."""

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult


class Adapter(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("{PLATFORM}"))

    async def connect(self, **more):
        self._mark_connected()
        return True

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(True, "1")

    async def get_chat_info(self, chat_id):
        return {{"name": chat_id, "type": "dm"}}


def register(ctx):
    ctx.register_platform(name="{PLATFORM}", label="Surface", adapter_factory=Adapter, check_fn=lambda: True)
'''


class Surface:
    """One surface of a host; `Host.on` opens it.

    Attributes:
        name: ``cli``, ``gateway``, ``cron``, ``serve`` or ``isolated``.
    """

    def __init__(self, host: Host, name: SurfaceName) -> None:
        self.name: SurfaceName = name
        self._host = host
        self._chat: Chat | None = None

    def chat(self, text: str) -> str | None:
        """Let the agent take a turn and return its reply.

        ``cli`` and ``isolated`` continue one session, as does the chat of ``gateway`` and the client of ``serve``. Each
        call on ``cron`` runs a job of its own.

        Args:
            text: What the user says, or the prompt of the job.

        Raises:
            HermesSdkError: The script had no answer left, or the turn failed on the host.
        """
        __tracebackhide__ = True
        if self.name in ("cli", "isolated"):
            return self._host.chat(text).reply
        if self.name != "gateway":
            return self._chat_elsewhere(self.name, text)
        if self._chat is None:
            self._chat = self._host.gateway().dm(platform=PLATFORM)
        sent = self._chat.receives(text)
        return sent[-1].text if sent else None

    def _chat_elsewhere(self, name: SurfaceName, text: str) -> str | None:
        __tracebackhide__ = True
        before = len(self._host.llm.problems())
        reply = self._host._chat_on(name, text)  # pyright: ignore[reportPrivateUsage]
        if problems := self._host.llm.problems()[before:]:
            raise HermesSdkError("\n".join(problems))
        return reply

    def end(self) -> None:
        """End the session the way the surface does; a cron job has ended by itself."""
        if self.name in ("cli", "isolated"):
            self._host.finish()
        elif self.name == "gateway":
            self._host.gateway().stop()
        elif self.name == "serve":
            self._host._chat_on(self.name, None)  # pyright: ignore[reportPrivateUsage]

    @property
    def hooks(self) -> HookCalls:
        """The calls of the plugins' hook callbacks since the surface was opened, in order."""
        return HookCalls.among(self._host.events)


def open_surface(host: Host, name: str) -> Surface:
    """Restart a host for one surface, and open it; see `Host.on`."""
    __tracebackhide__ = True
    chosen: SurfaceName | None = next((one for one in SURFACES if one == name), None)
    if chosen is None:
        raise UsageError(f"on: there is no surface {name!r}", fix=f"The surfaces are {', '.join(SURFACES)}.")
    if host.kind == "embedded" and chosen not in _EMBEDDED:
        raise NotSupported(f"model the surface {chosen}", host.kind)
    if chosen == "isolated" and not host._promised.behaviour.plugins_isolated:  # pyright: ignore[reportPrivateUsage]
        raise UsageError(
            f"on: Hermes {host.release} cannot isolate plugins in a process of their own",
            fix="The surface `isolated` needs Hermes 0.22.2 or newer.",
        )
    if chosen == "gateway":
        _add_platform(host)
    host._keep_events()  # pyright: ignore[reportPrivateUsage]
    config = {"plugins": {"isolation": "host"}} if chosen == "isolated" else {}
    host.configure(config=config, env=ALLOW_ALL if chosen == "gateway" else {})
    _offer_tools(host, chosen)
    return Surface(host, chosen)


def _offer_tools(host: Host, surface: SurfaceName) -> None:
    """Offer the model the tools that `chat` and the gateway offer."""
    toolsets = host._names("toolsets")  # pyright: ignore[reportPrivateUsage]
    if surface == "cron":
        # A job asks without a stream: without any tools, its requests look like those of `ctx.llm`.
        write_gateway(host.home, ["cron"], toolsets or ["todo"])
    else:
        write_gateway(host.home, ["cli"], toolsets)


def _add_platform(host: Host) -> None:
    folder = host.home / "plugins" / PLATFORM
    texts = {"plugin.yaml": _MANIFEST, "__init__.py": _CODE}
    write_files({folder / name: text.encode() for name, text in texts.items()}, durable=False, journalled=False)
    Home(host.home).enable(PLATFORM)
