"""Configuration of beacons."""


def remove_hidden_options(config, whitelist):
    """A list of mappings without those that have a name with an underscore before it, but for the names that are listed."""
    for entry in list(config):
        if any(name.startswith("_") and name not in whitelist for name in entry):
            config.remove(entry)
    return config


def list_to_dict(config):
    """The mappings of a list as one."""
    return {key: value for entry in config for key, value in entry.items()}
