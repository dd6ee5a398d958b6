"""Pages for ``web_extract``: which addresses it reads, and how much of a page reaches the model."""

from __future__ import annotations

import hashlib
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


def shorten_page(text: str, url: str, limit: Any, context: ToolContext) -> str:
    """Shorten the text of a page to a limit in characters, None for the default."""
    return _truncate(_remove_images(text), url, max(_LEAST, min(to_int(limit, _USUAL), _MOST)), context)


def _remove_images(text: str) -> str:
    named = re.sub(
        rf"!\[([^\]]*)\]\(\s*{_BASE64}\s*\)",
        lambda found: f"[IMAGE: {found[1].strip()}]" if found[1].strip() else "[IMAGE]",
        text,
    )
    return re.sub(rf"\(\s*{_BASE64}\s*\)|{_BASE64}", "[IMAGE]", named)


def _truncate(text: str, url: str, limit: int, context: ToolContext) -> str:
    """Return the beginning and the end of a page, cut at line ends, and the path of the full text."""
    if len(text) <= limit:
        return text
    before = limit * 3 // 4
    head, tail = text[:before], text[-(limit - before) :]
    if (end := head.rfind("\n")) > before * 0.5:
        head = head[:end]
    if 0 <= (start := tail.find("\n")) < (limit - before) * 0.5:
        tail = tail[start + 1 :]
    path = _save(text, url, context)
    footer = (
        f"{'─' * 8} [TRUNCATED] {'─' * 8}",
        f"Showing {len(head):,} chars (head) + {len(tail):,} chars (tail) of {len(text):,} total clean characters.",
        f"Full text saved to: {path}",
        f'To read the omitted middle: read_file path="{path}" offset={head.count(chr(10)) + 2} limit=200  (the file is'
        " the complete page; raise/lower offset to page through it).",
        "─" * 29,
    )
    return "\n".join((f"{head}\n\n[... middle omitted — see footer ...]\n\n{tail}\n", *footer))


def slug(url: str) -> str:
    """Return the host of an address as part of a file's name."""
    host = (urlsplit(url).hostname or "page").replace(":", "_")
    return re.sub(r"[^A-Za-z0-9._-]", "-", host)[:60].strip("-") or "page"


def _save(text: str, url: str, context: ToolContext) -> str:
    path = context.state.home.path / "cache" / "web" / f"{slug(url)}-{hashlib.sha256(url.encode()).hexdigest()[:10]}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)
