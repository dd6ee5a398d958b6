"""Adds a tool, a hook, a command … to a plugin that exists: code, registration, manifest and test in one go.

`engine.add` works out the changes, `engine.Changes` shows or writes them. Code is changed by whole
lines that are inserted at places which `ast` tells, so that every line of the author stays as it is; what would need
more is refused, with what to type by hand. Nothing of the plugin is run.

Must not import `check`, `testing` or `cli`.
"""
