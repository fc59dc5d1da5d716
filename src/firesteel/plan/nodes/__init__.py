"""What each family of nodes answers for each fact: importing the package makes the answers known."""
