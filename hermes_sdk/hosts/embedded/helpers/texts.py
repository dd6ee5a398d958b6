"""Text functions: variable names, terminal codes, contents of messages, telephone numbers and URLs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_SHORT, _LONG = 4, 8
_MEDIA_TYPES = {"audio", "image", "image_url", "input_audio", "input_image"}
_TEXTS = ("text", "content", "input_text", "output_text", "summary_text")


def is_valid_env_name(name: str) -> bool:
    """Return whether a name is valid for an environment variable."""
    return bool(name) and re.match(r"^[A-Za-z_][A-Za-z0-9_]*$", name) is not None


def scrub_ansi(text: str) -> str:
    """Remove terminal codes from a text."""
    return re.sub(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)", "", text or "")


def flatten_message_text(content: Any, *, sep: str = "\n") -> str:
    """Return the text of a message's content, which is a text, a part, or a list of both."""
    if isinstance(content, list):
        return sep.join(filter(None, map(_read_text, content)))
    if content is None or isinstance(content, str):
        return content or ""
    try:
        return _read_text(content) or str(content)
    except Exception:
        return ""


def _read_text(part: Any) -> str:
    if part is None or isinstance(part, str):
        return part or ""
    if str(_read_field(part, "type") or "").strip().lower() in _MEDIA_TYPES:
        return ""
    return next((text for text in (_read_field(part, name) for name in _TEXTS) if isinstance(text, str)), "")


def _read_field(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else getattr(part, name, None)


def redact_phone(phone: str) -> str:
    """Hide the middle of a telephone number."""
    if not phone:
        return "<none>"
    if len(phone) <= _SHORT:
        return "****"
    shown = 2 if len(phone) <= _LONG else 4
    return f"{phone[:shown]}****{phone[-shown:]}"


def base_url_hostname(base_url: Any) -> str:
    """Return the host of a URL, in lower case."""
    text = (base_url or "").strip()
    host = urlsplit(text if "://" in text else f"//{text}").hostname if text else ""
    return (host or "").lower().rstrip(".")


def base_url_host_matches(base_url: Any, domain: Any) -> bool:
    """Return whether the host of a URL is a domain or one of its subdomains."""
    host, wanted = base_url_hostname(base_url), (domain or "").strip().lower().rstrip(".")
    return bool(host and wanted) and (host == wanted or host.endswith(f".{wanted}"))
