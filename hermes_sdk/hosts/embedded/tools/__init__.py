"""Tools of plugins: registry, definitions, availability and results.

The package must not import `dispatch`, which runs a model's calls through hooks and middleware, or built-in tools.
"""
