"""Parameters of the ``ctx.register_*`` methods with names and callables."""

from __future__ import annotations

NAME_PARAMETERS = ("name", "hook_name", "kind", "key", "action_id")
CALLABLE_PARAMETERS = ("handler", "callback", "handler_fn", "adapter_factory")
REQUIRED_CALLABLES = ("handler", "callback", "setup_fn", "adapter_factory")
