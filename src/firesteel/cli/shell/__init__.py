"""The shell: `firesteel shell`."""
