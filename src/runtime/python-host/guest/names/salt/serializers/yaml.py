"""YAML, by the package PyYAML."""

import yaml

from salt.serializers import DeserializationError, SerializationError

available = True


def deserialize(stream_or_string, **options):
    options.setdefault("Loader", getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    try:
        return yaml.load(stream_or_string, **options)
    except Exception as error:
        raise DeserializationError(str(error)) from error


def serialize(obj, **options):
    options.setdefault("Dumper", getattr(yaml, "CSafeDumper", yaml.SafeDumper))
    options.setdefault("default_flow_style", None)
    try:
        text = yaml.dump(obj, **options)
    except Exception as error:
        raise SerializationError(str(error)) from error
    if text and text.endswith("\n...\n"):
        text = text[:-5]
    return text.rstrip("\n") if text else text
