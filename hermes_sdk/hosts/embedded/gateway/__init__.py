"""The gateway of the embedded host: adapters of plugins, and what happens between a message and its answer.

`embedded.EmbeddedGateway` is what a host starts. Must not import `hosts.real`.
"""
