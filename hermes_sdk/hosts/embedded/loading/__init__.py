"""From a directory to a loaded plugin: discovery, the gate, the import guard, the loader, and `ctx`.

Must not import `agent` or `gateway`.
"""
