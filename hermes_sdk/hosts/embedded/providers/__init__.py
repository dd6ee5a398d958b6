"""Providers of plugins: backends, memory providers, model providers, platforms, auxiliary tasks, and `ctx.llm`.

Must not import `registrations`, which contains them.
"""
