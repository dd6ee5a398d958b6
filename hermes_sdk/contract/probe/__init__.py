"""Probe of an installed hermes-agent, run in the host's own Python.

Each module inspects one aspect of the host and returns sections of the contract as plain JSON values. Uses only the
standard library and hermes-agent's own requirements; must not import hermes_sdk.
"""
