"""Plugin that makes calls of ``ctx`` and records their exceptions."""

from conformance.case import Files, plugin


def attempt(*lines: str) -> Files:
    """Return the files of plugin ``p``, which runs each line in ``register``; ``/raised`` lists the exceptions."""
    tries = "".join(
        f"    try: {line}\n    except Exception as error: raised.append(f'{{type(error).__name__}}: {{error}}')\n"
        for line in lines
    )
    head = "from pathlib import Path\nHERE = Path(__file__).parent\ndef register(ctx):\n    raised = []\n"
    return plugin(f"{head}{tries}    ctx.register_command('raised', lambda a: '\\n'.join(raised))\n", name="p")
