"""Tools of plugins: the registry, their definitions, whether they are offered, and what their results become.

Must not import `dispatch`, which takes a model's call through hooks and middleware, nor built-in tools.
"""
