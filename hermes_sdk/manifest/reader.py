"""Parser of manifests, from bytes to the host's value, with located problems.

Like the host (statements A17 to A24), it decodes UTF-8, loads one YAML document of plain types, and treats a false
value as an empty mapping. A document so large, deep or self-referential that it can only be an attack is rejected
early.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hermes_sdk.documents import DocumentError, read_bytes
from hermes_sdk.manifest.load import YamlReader, read_plain
from hermes_sdk.manifest.model import Diagnostic, Parsed, find_place

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 64 * 1024


def parse(path: Path, root: Path | None = None, *, reader: YamlReader = "libyaml") -> Parsed:
    """Read a manifest. Invalid content does not raise but yields diagnostics.

    Args:
        path: The file `plugin.yaml`.
        root: A directory out of which links must not lead; see `hermes_sdk.links`.
        reader: The YAML reader of the release.

    Returns:
        The host's value and the problems.
    """
    try:
        if not path.is_file():
            reason = "not a file" if path.exists() else "no such file"
            return Parsed.unreadable(path, "HS101", f"the manifest cannot be read: {reason}")
        data = read_bytes(path, root=root, max_bytes=MAX_BYTES)
    except DocumentError as error:
        return Parsed.unreadable(path, "HS111", f"the manifest is not parsed: {error}")
    except OSError as error:
        return Parsed.unreadable(path, "HS101", f"the manifest cannot be read: {error.strerror or error}")
    return parse_text(data, path, reader=reader)


def parse_text(data: bytes | str, path: Path, *, reader: YamlReader = "libyaml") -> Parsed:
    """Read a manifest from memory.

    Args:
        data: The content of the file.
        path: Its name, for messages.
        reader: The YAML reader of the release.

    Returns:
        The host's value and the problems.
    """
    if len(data) > MAX_BYTES:
        return Parsed.unreadable(path, "HS111", f"the manifest is larger than {MAX_BYTES // 1024} KiB")
    try:
        raw = data.encode() if isinstance(data, str) else data
        text = raw.decode("utf-8")
    except UnicodeEncodeError as error:
        message, place = "the text contains an unpaired surrogate", find_place(error.object, error.start)
        return Parsed.unreadable(path, "HS102", message, place)
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")
        message = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        return Parsed.unreadable(path, "HS102", message, find_place(before, len(before)))
    parsed = _parse(text.removeprefix("\ufeff"), path, reader)
    if text.startswith("\ufeff"):
        parsed.problems.append(Diagnostic.of("HS103", "the file starts with a byte order mark", path, (1, 1)))
    return parsed


def _parse(text: str, path: Path, reader: YamlReader) -> Parsed:
    value = read_plain(text)
    if value is not None:
        return Parsed(path, value, compose=partial(_compose, text))
    from hermes_sdk.manifest.document import parse_document

    return parse_document(text, path, reader)


def _compose(text: str) -> yaml.Node | None:
    from hermes_sdk.manifest.safe_loader import compose_yaml

    return compose_yaml(text)
