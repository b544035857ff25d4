"""`urllib` in the parts that it has today."""
