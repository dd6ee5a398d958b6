"""The real host: an installed hermes-agent, driven from outside.

    servers.py   one process for each environment that has the host imported and forks on request
    host.py      `RealHost`, the Host interface over a forked process
    gateway.py   `RealGateway`, the gateway in that process
    worker/      what runs in the environment: standard library and host only

Outside `worker/`, nothing here runs plugin code.
"""
