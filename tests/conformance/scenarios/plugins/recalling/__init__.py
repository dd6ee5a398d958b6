from agent.memory_provider import MemoryProvider


class Recalling(MemoryProvider):
    name = "recalling"

    def is_available(self):
        return True

    def initialize(self, session_id, **kwargs): ...

    def get_tool_schemas(self):
        return []

    def prefetch(self, query, **kwargs):
        return f"about {query}"


def register(ctx):
    ctx.register_hook("post_llm_call", lambda **kwargs: None)
    ctx.register_memory_provider(Recalling())
