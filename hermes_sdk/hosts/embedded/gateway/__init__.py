"""Gateway of the embedded host: adapters of plugins, and the processing of a message up to its reply.

`gateway.EmbeddedGateway` is the entry point; `runner.GatewayRunner` builds the parts, each from those below it. The
package may import the agent, but not the host, the stand-ins or `hosts.real`.
"""
