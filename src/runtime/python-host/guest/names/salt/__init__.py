"""Names of Salt that sites' modules import, for machines on which no Salt is installed."""
