"""What `new` adds to cookiecutter's own API on the same template: in one process, warm, without a process start."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from cookiecutter.main import cookiecutter

from bench.measure import Figure
from hermes_sdk.scaffold.new import new

ROUNDS = 40
TEMPLATE = Path(__file__).parents[1] / "templates" / "plugin"


def figures() -> Iterator[Figure]:
    """cookiecutter runs without the template's hook, whose rules `new` applies: it does less, and starts no process."""
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        config = scratch / "config.yaml"
        config.write_text(json.dumps({"cookiecutters_dir": name, "replay_dir": name}))
        output = scratch / "output"
        ours = partial(new, "plugin", output)
        theirs = partial(
            cookiecutter,
            str(TEMPLATE),
            no_input=True,
            output_dir=str(output),
            config_file=str(config),
            accept_hooks=False,
        )
        yield Figure("hermes-sdk new plugin, engine", _ratio(ours, theirs, output), 1.2)


def _ratio(case: Callable[[], object], base: Callable[[], object], output: Path) -> float:
    found: list[float] = []
    for _ in range(ROUNDS + 1):
        times: list[float] = []
        for make in (case, base):
            begin = process_time()
            make()
            times.append(process_time() - begin)
            shutil.rmtree(output)
        found.append(times[0] / times[1])
    return median(found[1:])
