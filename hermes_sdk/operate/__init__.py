"""Operating a HERMES_HOME without Hermes: install, update, remove, enable and disable plugins, try shell hooks.

Every operation leaves the state that ``hermes`` of the chosen release leaves, except where
`tests/operate/deviations.toml` and `tests/operate/test_hooks_deviations.py` say otherwise and why. No code of a plugin
runs here. Must not import `cli` or `compat`.
"""
