"""The command line: one file a command, each thin. Commands are imported when they are called."""
