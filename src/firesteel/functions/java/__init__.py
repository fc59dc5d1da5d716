"""Behaviour of Java's libraries: dates and calendars, regular expressions, hash codes, maps, StrictMath."""
