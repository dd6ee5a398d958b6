from agent.context_engine import ContextEngine


class Patient(ContextEngine):
    """Context engine that never compresses or counts, so that the host estimates the length of a conversation."""

    name = "patient"

    def update_from_response(self, usage):
        pass

    def should_compress(self, prompt_tokens=None):
        return False

    def compress(self, messages, current_tokens=None, **kwargs):
        return messages


def register(ctx):
    ctx.register_context_engine(Patient())
