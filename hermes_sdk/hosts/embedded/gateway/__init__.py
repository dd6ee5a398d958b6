"""The gateway of the embedded host: adapters of plugins, and what happens between a message and its answer.

Must not import `hosts.real`.
"""

from hermes_sdk.hosts.embedded.gateway.embedded import EmbeddedGateway

__all__ = ["EmbeddedGateway"]
