"""First loads and runs in a child process, so that native crashes and wrong numbers stay there."""
