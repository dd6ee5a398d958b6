"""The validator: finds what would break a plugin, and says where, why and how to fix it.

`engine` runs the rules, `rules` holds them, `report` prints what they found. Static rules read files only; runtime
rules judge what a child process saw while it loaded the plugin. Must not import `testing`, `scaffold` or `cli`.
"""
