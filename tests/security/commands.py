"""Server that runs commands of hermes-sdk one after the other, to save the start of a process for each.

Each line of standard input is a JSON list of arguments, environment variables and directory; the answer is the exit
code, stdout and stderr.
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
    """Run a command in a directory, and return its exit code, stdout and stderr."""
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
