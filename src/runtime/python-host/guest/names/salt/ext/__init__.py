"""Libraries that Salt brought along."""
