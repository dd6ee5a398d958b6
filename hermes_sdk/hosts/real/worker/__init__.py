"""Code that runs inside a host's environment: the standard library, hermes-agent and these files, loaded by their path.

    __main__.py       the entry: ``serve`` (the fork server) or ``judge``
    server.py         has the host imported and forks a child for each host
    preload.py        does once what every child would do alike
    module_code.py    the code of modules, read once for all children
    certificates.py   those of public authorities, loaded when something needs them
    child.py          turns a fork into the process of one host, and answers requests
    cli.py            turns a fork into the program ``hermes``
    session.py        what can be asked of a host
    conversation.py   a session with the agent
    surfaces.py       a cron job, and a session with the backend of ``hermes serve``
    gateway.py        the gateway, in a thread of its own
    memory_setup.py   ``hermes memory setup``, answered by a test
    retry_delays.py   no delay before the host tries something again
    report.py         one plugin as the schema ``hermes-sdk.show/1`` puts it
    observer.py       what each plugin adds to the host's registries, and what it fails to import
    log_recorder.py   the log, and the exceptions that the host hides
    paths.py          whose code a file is
    callbacks.py      the recording of what callbacks of plugins see
    time_limit.py     where code stands when its time is over
    json_values.py    any value as JSON

Nothing here may import `hermes_sdk`: that package is not installed in a host's environment. What both hosts share is in
``in_worker/``, ``processes/isolation/`` and ``processes/forks.py``, and is imported relatively. Private names of the
host are used where it offers no public ones; what a release lacks is treated as empty.
"""
