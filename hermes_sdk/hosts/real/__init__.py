"""The real host: an installed hermes-agent that runs in another process.

    servers.py   fork servers, one per environment, which have imported the host
    host.py      `RealHost`, the host interface to a forked process
    gateway.py   `RealGateway`, the gateway in that process
    worker/      code that runs in the environment, with only the standard library and the host

Only `worker/` runs plugin code.
"""
