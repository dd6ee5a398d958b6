"""Runs one command of hermes-sdk after the other in this process, so that each need not start one.

Each line of the input is JSON, the arguments of a command, what changes in the environment, and the directory; it is
answered with the exit code, the output and the errors.
"""

import json
import os
import sys
import tempfile
from typing import BinaryIO

from hermes_sdk.cli.main import run


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        answers.write(json.dumps(call(*json.loads(line))) + "\n")
        answers.flush()


def call(argv: list[str], environment: dict[str, str], folder: str) -> tuple[object, str, str]:
    """Run a command in a directory, with files for its output."""
    code: object = None
    os.chdir(folder)
    os.environ.update(environment)
    tempfile.tempdir = None
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        try:
            run(argv)
        except SystemExit as end:
            code = end.code
        sys.stdout.flush()
        sys.stderr.flush()
        return code, read(output), read(errors)


def read(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


if __name__ == "__main__":
    main()
