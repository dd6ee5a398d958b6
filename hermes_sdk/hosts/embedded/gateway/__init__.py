"""The gateway of the embedded host."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermes_sdk.hosts.base import NotSupported

if TYPE_CHECKING:
    from hermes_sdk.hosts.embedded.host import EmbeddedHost
    from hermes_sdk.hosts.gateway import Gateway


def _refuse(host: EmbeddedHost) -> Gateway:
    raise NotSupported("a gateway", host.kind)


EmbeddedGateway: Callable[[EmbeddedHost], Gateway] = _refuse
