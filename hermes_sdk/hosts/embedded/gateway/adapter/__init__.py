"""Members of `BasePlatformAdapter` that adapters inherit. Must not import the gateway, except for `session_keys`.

`classes.AdapterClasses` creates the class from them. They have Hermes' names, since adapters use them.
"""
