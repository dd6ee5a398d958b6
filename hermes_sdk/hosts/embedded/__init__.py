"""Embedded host: our model of Hermes Agent, proven against the real one by `tests/conformance`.

`host.EmbeddedHost` builds `state.HostState` first, then the parts from the bottom up; import-linter enforces their
order. Must not import `hosts.real` or hermes-agent.
"""
