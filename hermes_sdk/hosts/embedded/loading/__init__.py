"""Loading of plugins: discovery, the gate, the import guard, the loader, and `ctx`.

Must not import `agent` or `gateway`.
"""
