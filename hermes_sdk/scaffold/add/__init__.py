"""`hermes-sdk add`: add a tool, hook, command … to an existing plugin, with code, registration, manifest and test.

`engine.add` computes the changes; `engine.Changes` shows or writes them. Whole lines are inserted at positions found
with `ast`, so the author's lines stay unchanged. If more would be necessary, an error says what to type by hand. The
plugin is never run.

Must not import `check`, `testing` or `cli`.
"""
