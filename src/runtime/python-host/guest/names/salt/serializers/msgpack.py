"""Data as msgpack."""

from salt import payload

available = True
serialize = lambda obj, **_: payload.dumps(obj)
deserialize = lambda stream_or_string, **_: payload.loads(stream_or_string)
