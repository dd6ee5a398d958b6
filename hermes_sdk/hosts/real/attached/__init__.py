"""Recorder of a host of the user, in its own process and for that process only.

    path/sitecustomize.py   Python imports it at its start, because ``PYTHONPATH`` names its directory
    start.py                starts a program in its Python where that ignores ``PYTHONPATH``
    recorder.py             attaches to the parts of the host when these are imported, and sends what it sees
    gateway.py              the messages, adapters and event hooks of a gateway
    http_client.py          what the model is asked, and what it answers
    channel.py              the connection to the command that records

Nothing here may import `hermes_sdk`; see `hosts.real.worker`. Nothing is written to a file, and no exception of this
code may reach the host.
"""
