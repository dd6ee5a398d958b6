from agent.context_engine import ContextEngine


class Idle(ContextEngine):
    """Context engine that neither counts nor compresses, so that the host estimates the length of each request."""

    name = "idle"
    emit_automatic_compaction_status = False

    def update_from_response(self, usage): ...

    def should_compress(self, prompt_tokens=None):
        return True

    def compress(self, messages, current_tokens=None, **kwargs):
        return messages


def register(ctx):
    ctx.register_context_engine(Idle())
