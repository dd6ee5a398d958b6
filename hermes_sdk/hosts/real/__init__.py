"""The real host: an installed hermes-agent, driven from outside.

    environments.py   a Python environment for each release and what a plugin needs beside it, made once and kept
    installer.py      uv where it is to be had, else venv and pip
    cache.py          folders that are there completely or not at all
    servers.py        one process for each environment that has the host imported and forks on request
    host.py           `RealHost`, the Host interface over a forked process
    worker/           what runs in the environment: standard library and host only

Outside `worker/`, nothing here runs plugin code.
"""
