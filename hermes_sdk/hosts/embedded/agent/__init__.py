"""Agent loop of the embedded host: sessions, turns, model requests and tool calls (C15 to C29, D8 to D37).

The package must not import `host`.
"""
