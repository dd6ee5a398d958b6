"""Code that runs in a host's environment, loaded by its path, with only the standard library and hermes-agent.

    __main__.py       entry points: ``serve`` (the fork server) and ``judge``
    server.py         fork server: import the host, and fork a child for each host
    preload.py        work that all children share
    module_code.py    cache of compiled code for all children
    child.py          process of one host: setup, requests, timeouts, and conversion of values to JSON
    cli.py            program ``hermes`` in a fork
    judge.py          Hermes' own checks on the files of a plugin
    session.py        requests to a host
    conversation.py   sessions with the agent
    surfaces.py       cron jobs, and sessions with the backend of ``hermes serve``
    gateway.py        the gateway, in a separate thread
    memory_setup.py   ``hermes memory setup`` with scripted answers
    retry_delays.py   removal of the delays before retries
    report.py         reports about plugins, with the schema ``hermes-sdk.show/1``
    observer.py       additions of plugins to the host's registries, and their failed imports
    log_recorder.py   log records and swallowed exceptions
    paths.py          classification of files: host, plugin, or neither
    callbacks.py      recording of plugins' callbacks

The package must not import `hermes_sdk`, which is not installed in a host's environment. It shares code with the
embedded host by relative imports from ``in_worker/``, ``processes/isolation/`` and ``processes/forks.py``. It uses
private names of the host if there are no public ones; names that a release lacks are treated as empty.
"""
