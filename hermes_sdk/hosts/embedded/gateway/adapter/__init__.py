"""What `BasePlatformAdapter` does unless an adapter overrides it. Must not import the gateway's runner.

The stand-in ``gateway.platforms.base`` makes the class of it; members have the host's names, since adapters use them.
"""
