"""Forms in which a known secret can be written."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterator
from urllib.parse import quote


def list_forms(secret: str) -> Iterator[str]:
    """Yield a text as it is written in JSON, in JSON within JSON, in a URL, in HTML, in Python and in hexadecimal."""
    data = secret.encode("utf-8", "surrogatepass")
    yield secret
    for ascii_only in (True, False):
        once = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        twice = json.dumps(once, ensure_ascii=ascii_only)[1:-1]
        yield from (once, once.replace("/", "\\/"), twice, json.dumps(twice, ensure_ascii=ascii_only)[1:-1])
    for safe in ("", "/", "/:@", "-_.!~*'()"):
        quoted = quote(data, safe=safe)
        yield from (quoted, re.sub("%..", lambda code: code[0].lower(), quoted), quoted.replace("%20", "+"))
        yield quote(quoted, safe="")
    yield from (html.escape(secret), html.escape(secret).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"))
    for literal in (repr(secret)[1:-1], repr(data)[2:-1]):
        yield from (literal, json.dumps(literal)[1:-1])
    yield from (data.hex(), data.hex().upper())


def list_base64(secret: str) -> Iterator[str]:
    """Yield what every base64 of a text that holds the secret has in it, wherever the secret begins."""
    data = secret.encode("utf-8", "surrogatepass")
    for before in range(3):
        whole = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        # Characters at the ends hold bits of what is around.
        inner = whole[-(-before * 8 // 6) : len(whole) - (1 if (before + len(data)) % 3 else 0)]
        yield from {inner, inner.replace("+", "-").replace("/", "_"), quote(inner, safe=""), inner.replace("/", "\\/")}
