"""Server that runs ``hermes`` commands in forks, with the Python of an installed Hermes."""

import contextlib
import gc
import importlib
import io
import json
import os
import sys
import tempfile
import traceback


def run(main, request):
    """Run one command in a fork, and return its exit code and output."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as stdin:
        stdin.write(request["stdin"].encode())
        stdin.seek(0)
        pid = os.fork()
        if not pid:
            os.dup2(stdin.fileno(), 0)
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            os._exit(child(main, request))
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        return {"exit_code": os.waitstatus_to_exitcode(status), "output": output.read().decode(errors="replace")}


def child(main, request):
    """Run ``hermes`` with the arguments and environment of a request, and return the exit code."""
    os.environ.update(request["environment"])
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    sys.argv = ["hermes", *request["argv"]]
    code = 0
    try:
        main()
    except SystemExit as exit:
        code = exit.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    sys.argv = ["hermes", "plugins", "list", "--json"]
    answers, sys.stdout = sys.stdout, io.StringIO()
    main = importlib.import_module("hermes_cli.main").main
    # Import every module that a command needs before the first fork.
    with contextlib.suppress(SystemExit):
        main()
    gc.freeze()
    for line in sys.stdin:
        answers.write(json.dumps(run(main, json.loads(line))) + "\n")
        answers.flush()
