"""Which parameters of the ``ctx.register_*`` methods name what is registered, and which ones the host calls back."""

from __future__ import annotations

NAME_PARAMETERS = ("name", "hook_name", "kind", "key", "action_id")
CALLABLE_PARAMETERS = ("handler", "callback", "handler_fn", "adapter_factory")
REQUIRED_CALLABLES = ("handler", "callback", "setup_fn", "adapter_factory")
