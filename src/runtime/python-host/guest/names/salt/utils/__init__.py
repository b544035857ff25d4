"""Helpers of Salt that sites use most."""
