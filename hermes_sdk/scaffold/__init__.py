"""Makes plugin projects from the templates in ``templates/``, with cookiecutter as the engine.

Must not import `check`, `testing` or `cli`.
"""
