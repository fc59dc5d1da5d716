"""What Java's libraries answer: dates and calendars, regular expressions, hash codes, maps, StrictMath."""
