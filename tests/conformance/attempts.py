"""A plugin that tries one call of ``ctx`` after the other and tells what was raised."""

from conformance.case import Files, plugin


def attempt(*lines: str) -> Files:
    """A plugin ``p`` that runs each line when it registers; ``/raised`` shows the exceptions, one a line."""
    tries = "".join(
        f"    try: {line}\n    except Exception as error: raised.append(f'{{type(error).__name__}}: {{error}}')\n"
        for line in lines
    )
    head = "from pathlib import Path\nHERE = Path(__file__).parent\ndef register(ctx):\n    raised = []\n"
    return plugin(f"{head}{tries}    ctx.register_command('raised', lambda a: '\\n'.join(raised))\n", name="p")
