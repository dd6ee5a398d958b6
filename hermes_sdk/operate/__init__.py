"""Operations on a HERMES_HOME without Hermes: install, update, remove, enable and disable plugins, try shell hooks.

Every operation has the same result as ``hermes`` of the chosen release, apart from the deviations that
`tests/operate/deviations.toml` and `tests/operate/test_hooks_deviations.py` list with reasons. No plugin code runs.
Must not import `cli` or `compat`.
"""
