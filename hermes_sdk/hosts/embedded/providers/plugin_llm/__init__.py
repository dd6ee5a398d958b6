"""``ctx.llm``: requests of a plugin to the user's model (statements E1 to E14).

classes.py             the `ctx.llm` object and its results
gate.py                the choices of provider and model that a plugin may make
structured_output.py   requests for JSON, and the JSON in an answer
auxiliary.py           the client: providers, retries and exceptions
"""
