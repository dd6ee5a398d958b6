"""Providers that plugins bring: backends, memory providers, providers of models, and `ctx.llm`."""
