"""Files with sections, as `configparser` reads them."""

import configparser
import io

from salt.serializers import DeserializationError, SerializationError

available = True


def deserialize(stream_or_string, **options):
    parser = configparser.ConfigParser(**options)
    try:
        text = stream_or_string.read() if hasattr(stream_or_string, "read") else stream_or_string
        parser.read_string(text.decode() if isinstance(text, bytes) else text)
        return {section: dict(parser.items(section)) for section in parser.sections()}
    except Exception as error:
        raise DeserializationError(error) from error


def serialize(obj, **options):
    try:
        if not isinstance(obj, dict):
            raise TypeError("configparser can only serialize dictionaries, not {}".format(type(obj)))
        options.pop("fp", None)
        parser = configparser.ConfigParser(**options)
        for section, entries in obj.items():
            parser.add_section(section)
            for key, value in entries.items():
                parser.set(section, str(key), str(value))
        out = io.StringIO()
        parser.write(out)
        return out.getvalue()
    except Exception as error:
        raise SerializationError(error) from error
