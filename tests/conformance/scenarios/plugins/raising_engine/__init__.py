"""Context engine that raises at the start and the end of a session."""

from agent.context_engine import ContextEngine


class Engine(ContextEngine):
    name = "raising"

    def update_from_response(self, usage):
        pass

    def should_compress(self, prompt_tokens=None):
        return False

    def compress(self, messages, current_tokens=None, **kwargs):
        return messages

    def on_session_start(self, session_id, **kwargs):
        raise ValueError("start")

    def on_session_end(self, session_id, messages):
        raise ValueError("end")


def register(ctx):
    ctx.register_context_engine(Engine())
