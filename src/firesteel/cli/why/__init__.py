"""The command `firesteel why`."""
