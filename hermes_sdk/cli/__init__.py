"""The command line: one thin module per command, imported when the command is called."""
