"""Surfaces of a host: the frontends on which its agent takes turns, which differ in the hooks that fire."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from hermes_sdk.errors import UsageError
from hermes_sdk.files import write_files
from hermes_sdk.home import Home
from hermes_sdk.hosts.interface.errors import NotSupported
from hermes_sdk.hosts.interface.values import HookCalls
from hermes_sdk.hosts.model_config import write_gateway

if TYPE_CHECKING:
    from hermes_sdk.contract import Behaviour
    from hermes_sdk.hosts.interface.report import HostKind

SurfaceName = Literal["cli", "gateway", "cron", "serve", "isolated"]

SURFACES: tuple[SurfaceName, ...] = get_args(SurfaceName)
"""The names of all surfaces."""

_EMBEDDED = ("cli", "gateway")

PLATFORM = "sdksurface"
"""Name of the platform, and of its plugin, that passes messages to the gateway."""

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

    def __init__(
        self,
        name: SurfaceName,
        chat: Callable[[str], str | None],
        end: Callable[[], object],
        list_events: Callable[[], list[dict[str, Any]]],
    ) -> None:
        self.name: SurfaceName = name
        self._chat = chat
        self._end = end
        self._list_events = list_events

    def chat(self, text: str) -> str | None:
        """Let the agent take a turn and return its reply.

        Calls continue one session, except on ``cron``, where each call runs a separate job.

        Args:
            text: The user's message, or the prompt of the job.

        Raises:
            HermesSdkError: The script had no more answers, or the turn failed.
        """
        __tracebackhide__ = True
        return self._chat(text)

    def end(self) -> None:
        """End the session as the surface does; does nothing for ``cron``, whose job has ended."""
        self._end()

    @property
    def hooks(self) -> HookCalls:
        """The calls of the plugins' hooks since the surface was opened, in order."""
        return HookCalls.among(self._list_events())


def require_surface(name: str, kind: HostKind, release: str, behaviour: Behaviour) -> SurfaceName:
    """Return the surface with a name.

    Raises:
        UsageError: The release does not have the surface.
        NotSupported: The embedded host does not model the surface.
    """
    __tracebackhide__ = True
    chosen: SurfaceName | None = next((one for one in SURFACES if one == name), None)
    if chosen is None:
        raise UsageError(f"on: there is no surface {name!r}", fix=f"The surfaces are {', '.join(SURFACES)}.")
    if kind == "embedded" and chosen not in _EMBEDDED:
        raise NotSupported(f"model the surface {chosen}", kind)
    if chosen == "isolated" and not behaviour.plugins_isolated:
        raise UsageError(
            f"on: Hermes {release} cannot isolate plugins in a process of their own",
            fix="The surface `isolated` needs Hermes 0.22.2 or newer.",
        )
    return chosen


def write_toolsets(home: Path, surface: SurfaceName, toolsets: Sequence[str]) -> None:
    """Configure a surface to offer the model the same tools as `Host.chat` and the gateway."""
    if surface == "cron":
        # A job does not stream, so without any tools its requests would look like those of `ctx.llm`.
        write_gateway(home, ["cron"], toolsets or ["todo"])
    else:
        write_gateway(home, ["cli"], toolsets)


def add_platform(home: Path) -> None:
    """Add the platform plugin to a home, and enable it."""
    folder = home / "plugins" / PLATFORM
    texts = {"plugin.yaml": _MANIFEST, "__init__.py": _CODE}
    write_files({folder / name: text.encode() for name, text in texts.items()}, durable=False, journalled=False)
    Home(home).enable(PLATFORM)
