"""``ctx.llm``: requests of a plugin to the user's model (statements E1 to E14).

classes.py      the object that a plugin calls, and what it returns
gate.py         whose provider and model a plugin may ask for
structured.py   requests for JSON, and the JSON in an answer
auxiliary.py    the host's client: how often it asks, and what it raises
"""
