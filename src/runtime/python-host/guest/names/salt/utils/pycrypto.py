"""Passwords and their hashes."""

import random as _random
import re
import secrets as _secrets
import string

from salt.exceptions import CommandExecutionError, SaltInvocationError

METHODS = {"sha512": "$6$", "sha256": "$5$", "blowfish": "$2b$", "md5": "$1$", "crypt": ""}
SALT_CHARS = string.ascii_letters + string.digits + "./"


def secure_password(length=20, use_random=True, chars=None, lowercase=True, uppercase=True, digits=True, punctuation=True, whitespace=False, printable=False):
    """A password of so many random characters."""
    letters = chars if chars is not None else _letters(lowercase, uppercase, digits, punctuation, whitespace, printable)
    pool = sorted(set(letters))
    if not pool:
        raise SaltInvocationError("There are no characters to make a password of")
    return "".join(_secrets.choice(pool) for _ in range(int(length)))


def _letters(lowercase, uppercase, digits, punctuation, whitespace, printable):
    if printable:
        return string.printable
    given = ((lowercase, string.ascii_lowercase), (uppercase, string.ascii_uppercase), (digits, string.digits))
    given += ((punctuation, string.punctuation), (whitespace, string.whitespace))
    return "".join(letters for wanted, letters in given if wanted)


def gen_hash(crypt_salt=None, password=None, algorithm=None, force=False):
    """The hash of a password as `/etc/shadow` has it, by the module `crypt`, which Python has up to 3.12."""
    try:
        import crypt
    except ImportError:
        raise CommandExecutionError("hashes of passwords need the module crypt, which this Python does not have") from None
    algorithm = algorithm or "sha512"
    if algorithm not in METHODS:
        raise SaltInvocationError("Algorithm '{}' is not natively supported by this platform".format(algorithm))
    if password is None:
        password = secure_password()
    if crypt_salt is None:
        crypt_salt = "".join(_random.SystemRandom().choice(SALT_CHARS) for _ in range(16))
    return crypt.crypt(password, METHODS[algorithm] + re.sub(r"^\$\w+\$", "", crypt_salt))
