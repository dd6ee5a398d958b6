from agent.context_engine import ContextEngine


class Patient(ContextEngine):
    """Never compresses, and keeps no count, so that the host estimates how long a conversation is."""

    name = "patient"

    def update_from_response(self, usage):
        pass

    def should_compress(self, prompt_tokens=None):
        return False

    def compress(self, messages, current_tokens=None, **kwargs):
        return messages


def register(ctx):
    ctx.register_context_engine(Patient())
