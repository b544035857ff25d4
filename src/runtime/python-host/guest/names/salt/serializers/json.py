"""JSON."""

import json

from salt.serializers import DeserializationError, SerializationError

available = True


def deserialize(stream_or_string, **options):
    try:
        if hasattr(stream_or_string, "read"):
            return json.load(stream_or_string, **options)
        return json.loads(stream_or_string, **options)
    except Exception as error:
        raise DeserializationError(error) from error


def serialize(obj, **options):
    try:
        if "fp" in options:
            return json.dump(obj, **options)
        return json.dumps(obj, **options)
    except Exception as error:
        raise SerializationError(error) from error
