"""The gateway of the embedded host: adapters of plugins, and what happens between a message and its reply.

`gateway.EmbeddedGateway` is what a host starts; `runner.GatewayRunner` builds the parts, each from those below it. Must
not import the host, the stand-ins or `hosts.real`; the agent is below.
"""
