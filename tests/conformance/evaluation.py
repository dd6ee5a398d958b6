"""Plugin that evaluates expressions in a module of the host."""

from conformance.case import plugin

EVALUATOR = """
    def register(ctx):
        def ask(line):
            module, _, expression = line.partition(" ")
            import importlib, json, os, pathlib
            names = {"json": json, "os": os, "Path": pathlib.Path, "load": importlib.import_module}
            try:
                return repr(eval(expression, {**names, "m": importlib.import_module(module)}))
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        ctx.register_command("ask", ask)
"""
PLUGINS = {"p": plugin(EVALUATOR, name="p")}


def evaluate(host, module, *expressions):
    """Return the value of each expression, in which ``m`` is the module."""
    return [host.command(f"/ask {module} {expression}") for expression in expressions]
