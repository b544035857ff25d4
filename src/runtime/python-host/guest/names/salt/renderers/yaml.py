"""YAML as files of states have it."""


def get_yaml_loader(argline):
    import salt.utils.yaml

    return salt.utils.yaml.SaltYamlSafeLoader


def render(yaml_data, saltenv="base", sls="", argline="", **kws):
    import salt.utils.yaml

    return salt.utils.yaml.safe_load(yaml_data) or {}
