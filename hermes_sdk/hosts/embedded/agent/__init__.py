"""The agent loop of the embedded host: sessions, turns, requests to the model and the tool calls that it asks for.

Statements C15 to C29 and D8 to D37. Must not import `host`.
"""
