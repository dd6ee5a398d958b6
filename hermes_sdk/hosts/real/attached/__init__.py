"""Recorder that runs in a process of the user's host, and only for that process.

    path/sitecustomize.py   attaches the recorder; Python imports it at its start from ``PYTHONPATH``
    start.py                starts a program with the recorder if its Python ignores ``PYTHONPATH``
    recorder.py             attaches to modules of the host on their import, and sends recorded events
    gateway.py              records messages, adapters and event hooks of a gateway
    http_client.py          records requests to the model and their answers

The package must not import `hermes_sdk`; see `hosts.real.worker`. It does not write files, and its exceptions must not
reach the host.
"""
