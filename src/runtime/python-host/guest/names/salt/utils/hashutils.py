"""Hash sums and Base64."""

import base64
import hashlib
import hmac
import os
import random as _random
import string

from salt.utils.stringutils import to_bytes, to_unicode

PIECE = 65536


def base64_b64encode(instr):
    return to_unicode(base64.b64encode(to_bytes(instr)))


def base64_b64decode(instr):
    decoded = base64.b64decode(to_bytes(instr))
    try:
        return to_unicode(decoded)
    except UnicodeDecodeError:
        return decoded


def base64_encodestring(instr):
    return to_unicode(base64.encodebytes(to_bytes(instr)))


def base64_decodestring(instr):
    decoded = base64.decodebytes(to_bytes(instr))
    try:
        return to_unicode(decoded)
    except UnicodeDecodeError:
        return decoded


def md5_digest(instr):
    return hashlib.md5(to_bytes(instr)).hexdigest()


def sha1_digest(instr):
    return hashlib.sha1(to_bytes(instr)).hexdigest()


def sha256_digest(instr):
    return hashlib.sha256(to_bytes(instr)).hexdigest()


def sha512_digest(instr):
    return hashlib.sha512(to_bytes(instr)).hexdigest()


def hmac_signature(string, shared_secret, challenge_hmac):
    """Whether a text has this signature (Base64)."""
    made = hmac.new(to_bytes(shared_secret), to_bytes(string), hashlib.sha256).digest()
    return base64.b64encode(made) == to_bytes(challenge_hmac)


def hmac_compute(string, shared_secret):
    return hmac.new(to_bytes(shared_secret), to_bytes(string), hashlib.sha256).hexdigest()


def random_hash(size=9999999999, hash_type=None):
    return getattr(hashlib, hash_type or "md5")(to_bytes(str(_random.SystemRandom().randint(0, size)))).hexdigest()


def get_hash(path, form="sha256", chunk_size=PIECE):
    """The hash sum of a file."""
    if not hasattr(hashlib, form):
        raise ValueError("Invalid hash type: {}".format(form))
    total = getattr(hashlib, form)()
    with open(path, "rb") as handle:
        for piece in iter(lambda: handle.read(chunk_size), b""):
            total.update(piece)
    return total.hexdigest()


class DigestCollector:
    """Several hash sums of data that comes in pieces."""

    def __init__(self, types=("sha256", "sha512", "md5", "sha384"), buff=PIECE):
        self._totals = {name: getattr(hashlib, name)() for name in types}
        self._size = buff

    def add(self, path):
        with open(path, "rb") as handle:
            for piece in iter(lambda: handle.read(self._size), b""):
                for total in self._totals.values():
                    total.update(piece)

    def digest(self, name):
        return self._totals[name].hexdigest() if name in self._totals else None


def random_string(size=20):
    letters = string.ascii_letters + string.digits
    return "".join(letters[byte % len(letters)] for byte in os.urandom(size))
