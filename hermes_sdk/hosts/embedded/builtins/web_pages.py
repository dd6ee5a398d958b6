"""Pages for ``web_extract``: which addresses it reads, and how much of a page reaches the model."""

from __future__ import annotations

import ipaddress
import os
import re
from typing import Any
from urllib.parse import urlsplit

from hermes_sdk.hosts.embedded.builtins.tool import ToolContext, to_int

_SHARED = ipaddress.ip_network("100.64.0.0/10")
_USUAL, _LEAST, _MOST = 15_000, 2_000, 500_000

_BASE64 = r"data:image/[^;]+;base64,[A-Za-z0-9+/=]+"


def is_private(url: str, context: ToolContext) -> bool:
    """Tell whether an address is in a private network; host names are not resolved and count as public."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return True
    if parts.scheme not in ("http", "https") or not host:
        return True
    allowed = _allows_private(context)
    if host == "localhost":
        return not allowed
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    if address.is_link_local:
        return True
    inner = not address.is_global or address.is_multicast or (address.version == 4 and address in _SHARED)
    return inner and not allowed


def _allows_private(context: ToolContext) -> bool:
    variable = os.environ.get("HERMES_ALLOW_PRIVATE_URLS", "").strip().lower()
    return variable in ("1", "true", "yes") or context.section("security").get("allow_private_urls") is True


def shorten_page(text: str, limit: Any, context: ToolContext) -> str:
    """Return the text of a page without its images; the limit is in characters, None for the default.

    Raises:
        NotSupported: The text is longer than the limit.
    """
    shown = _remove_images(text)
    if len(shown) > max(_LEAST, min(to_int(limit, _USUAL), _MOST)):
        raise context.state.unsupported("shorten a long page for web_extract")
    return shown


def _remove_images(text: str) -> str:
    named = re.sub(
        rf"!\[([^\]]*)\]\(\s*{_BASE64}\s*\)",
        lambda found: f"[IMAGE: {found[1].strip()}]" if found[1].strip() else "[IMAGE]",
        text,
    )
    return re.sub(rf"\(\s*{_BASE64}\s*\)|{_BASE64}", "[IMAGE]", named)
