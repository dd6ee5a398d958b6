"""The templates that this process has compiled; an update renders each twice, and compiling takes most of the time."""

from __future__ import annotations

from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """Compiled templates in memory, by their source."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Take a template that was compiled before."""
        if compiled := self._compiled.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(compiled)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template."""
        self._compiled[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()
