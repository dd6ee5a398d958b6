"""Types of ``agent.secret_scope``."""

from hermes_sdk.hosts.embedded.standins.modules.agent.secret_scope import (
    UnscopedSecretError as UnscopedSecretError,
    current_secret_scope as current_secret_scope,
    get_secret as get_secret,
    reset_secret_scope as reset_secret_scope,
    set_secret_scope as set_secret_scope,
)
