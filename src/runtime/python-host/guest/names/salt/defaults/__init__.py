"""Values that hold when nobody says another."""
