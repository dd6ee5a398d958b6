"""The platform ``echo``, whose adapter has no transport and accepts every message."""

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, SendResult


class Adapter(BasePlatformAdapter):
    """Connect to nothing: the runner of the gateway passes messages to the adapter."""

    def __init__(self, config):
        super().__init__(config, Platform("echo"))
        self._sent = 0

    async def connect(self, **more):
        self._mark_connected()
        return True

    async def disconnect(self):
        self._mark_disconnected()

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        self._sent += 1
        return SendResult(success=True, message_id=f"out{self._sent}")

    async def on_processing_start(self, event):
        pass

    async def on_processing_complete(self, event, outcome):
        pass

    async def get_chat_info(self, chat_id):
        return {"name": chat_id, "type": "dm"}


def answer(event, **kwargs):
    if event.text == "ignore me":
        return {"action": "skip", "reason": "asked for"}
    return None


def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", answer)
    ctx.register_platform(
        name="echo",
        label="Echo",
        adapter_factory=Adapter,
        check_fn=lambda: True,
        allowed_users_env="ECHO_ALLOWED_USERS",
        allow_all_env="ECHO_ALLOW_ALL_USERS",
        platform_hint="You are in a chat that repeats everything.",
    )
