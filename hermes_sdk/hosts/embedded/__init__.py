"""The embedded host: our model of Hermes Agent, proven against the real one by `tests/conformance`.

`host.EmbeddedHost` is its face. Must not import `hosts.real`, nor anything of hermes-agent.
"""
