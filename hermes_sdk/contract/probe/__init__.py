"""Reads an installed hermes-agent from within: runs in the host's own Python, not in ours.

Each module looks at one side of the host and returns sections of the contract as plain JSON values. Uses the standard
library and what hermes-agent itself needs; must not import hermes_sdk.
"""
