"""The members of `BasePlatformAdapter` that adapters inherit. Must not import the gateway, except for `session_keys`.

The stand-in ``gateway.platforms.base`` makes the class of them; they have the host's names, since adapters use them.
"""
