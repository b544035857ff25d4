"""Addresses of files: `salt://path?saltenv=base`."""

from urllib.parse import urlparse, urlsplit  # noqa: F401


def parse(url):
    """Path and environment."""
    if not url.startswith("salt://"):
        return url, None
    path, _, query = url[len("salt://") :].partition("?")
    envs = [part[len("saltenv=") :] for part in query.split("&") if part.startswith("saltenv=")]
    return path, envs[0] if envs else None


def create(path, saltenv=None):
    query = "?saltenv={}".format(saltenv) if saltenv else ""
    return "salt://" + path.replace("\\", "/").lstrip("/") + query


def is_escaped(url):
    return url.startswith("|") or url.startswith("salt://|")


def escape(url):
    """A path whose characters mean nothing."""
    scheme = urlparse(url).scheme
    if scheme == "salt":
        path, saltenv = parse(url)
        return create("|" + path.lstrip("|"), saltenv)
    return url if scheme or url.startswith("|") else "|" + url


def unescape(url):
    return url.replace("salt://|", "salt://", 1) if url.startswith("salt://|") else url.lstrip("|")


def add_env(url, saltenv):
    return url if not url.startswith("salt://") else create(parse(url)[0], saltenv)


def split_env(url):
    if not url.startswith("salt://"):
        return url, None
    path, env = parse(url)
    return create(path), env


def validate(url, protos):
    return urlsplit(url).scheme in protos


def strip_proto(url):
    return url.split("://", 1)[1] if "://" in url else url


def redact_http_basic_auth(output):
    import re

    return re.sub(r"(https?)://.*@", r"\1://<redacted>@", output)


def add_http_basic_auth(url, user=None, password=None, https_only=False):
    """A URL with a user and his password."""
    if user is None and password is None:
        return url
    parts = urlsplit(url)
    if https_only and parts.scheme != "https":
        raise ValueError("Basic Auth only supported for HTTPS")
    given = user if password is None else "{}:{}".format(user, password)
    return parts._replace(netloc="{}@{}".format(given, parts.netloc)).geturl()
