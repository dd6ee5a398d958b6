"""In-memory cache of compiled templates: an update renders each template twice, and compiling is the slowest part."""

from __future__ import annotations

from jinja2.bccache import Bucket, BytecodeCache


class CompiledTemplates(BytecodeCache):
    """Bytecode of templates, by key and checksum of their source."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load the bytecode of a template that was compiled before."""
        if compiled := self._compiled.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(compiled)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the bytecode of a template."""
        self._compiled[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


COMPILED = CompiledTemplates()
