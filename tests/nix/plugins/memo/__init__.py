from agent.memory_provider import MemoryProvider


class Memo(MemoryProvider):
    @property
    def name(self):
        return "memo"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs):
        pass

    def get_tool_schemas(self):
        return []


def register(ctx):
    ctx.register_memory_provider(Memo())
