"""What a plugin's own tests use: the fixture ``hermes``. Must not import `check`, `scaffold` or `cli`."""
