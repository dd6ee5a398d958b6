"""Tools: the registry, the way of a call through hooks and middleware, and the approval of calls."""
