"""Web page about the jobs of this process (`--ui`): server, events and static files."""
