from agent.context_engine import ContextEngine


class Idle(ContextEngine):
    """Counts nothing and shortens nothing, so that the host estimates how long each request is."""

    name = "idle"
    emit_automatic_compaction_status = False

    def update_from_response(self, usage): ...

    def should_compress(self, prompt_tokens=None):
        return True

    def compress(self, messages, current_tokens=None, **kwargs):
        return messages


def register(ctx):
    ctx.register_context_engine(Idle())
