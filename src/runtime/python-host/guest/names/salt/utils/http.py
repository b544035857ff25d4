"""Requests over HTTP, by the standard library."""

import base64
import json
import ssl
import urllib.error
import urllib.parse
import urllib.request

from salt._seen import seen

TIMEOUT_SECONDS = 3600


def query(
    url,
    method="GET",
    params=None,
    data=None,
    data_file=None,
    header_dict=None,
    header_list=None,
    header_file=None,
    username=None,
    password=None,
    auth=None,
    decode=False,
    decode_type="auto",
    status=False,
    headers=False,
    text=False,
    timeout=None,
    verify_ssl=None,
    ca_bundle=None,
    cert=None,
    opts=None,
    raise_error=True,
    formdata=None,
    agent="Salt",
    **kwargs
):
    """`body`, and as asked `status`, `headers`, `text` and `dict`; `error` when there is no answer, or it is none."""
    scheme = urllib.parse.urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise ValueError("Unsupported url scheme: {}".format(url))
    try:
        answer = _send(_request(url, method, params, _body(data, data_file), _headers(header_dict, header_list, header_file, agent), username, password, auth), timeout, _context(verify_ssl, ca_bundle, cert))
    except urllib.error.HTTPError as error:
        answer = error
        if not raise_error:
            return _shown(error, decode, decode_type, status, headers, text)
        found = {"error": "HTTP {}: {}".format(error.code, error.reason), "body": _text(error.read(), error)}
        if status:
            found["status"] = error.code
        return found
    except (urllib.error.URLError, OSError, ValueError) as error:
        return {"error": str(getattr(error, "reason", error))}
    with answer:
        return _shown(answer, decode, decode_type, status, headers, text)


def _request(url, method, params, body, headers, username, password, auth):
    if params:
        url += ("&" if "?" in url else "?") + urllib.parse.urlencode(params, doseq=True)
    if auth and not username:
        username, password = auth[0], auth[1]
    if username is not None:
        pair = "{}:{}".format(username, password or "")
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    if body is not None and method.upper() == "GET":
        method = "GET"
    return urllib.request.Request(url, data=body, headers=headers, method=method.upper())


def _send(request, timeout, context):
    return urllib.request.urlopen(request, timeout=timeout or TIMEOUT_SECONDS, context=context)


def _shown(answer, decode, decode_type, status, headers, text):
    body = _text(answer.read(), answer)
    found = {"body": body}
    if status is True:
        found["status"] = answer.status if hasattr(answer, "status") else answer.code
    if headers is True:
        found["headers"] = dict(answer.headers)
    if text is True:
        found["text"] = body
    if decode is True:
        found.update(_decoded(body, decode_type, answer.headers.get("Content-Type", "")))
    return found


def _decoded(body, kind, content_type):
    if kind == "auto":
        kind = next((word for word in ("json", "xml", "yaml") if word in content_type), "plain")
    if kind == "json":
        return {"dict": json.loads(body)}
    if kind == "xml":
        import xml.etree.ElementTree as ElementTree

        from salt.utils.xmlutil import to_dict

        return {"dict": [to_dict(item) for item in ElementTree.fromstring(body)]}
    if kind == "yaml":
        import salt.utils.yaml

        return {"dict": salt.utils.yaml.safe_load(body)}
    return {"text": body}


def _headers(given, lines, path, agent):
    found = {"User-Agent": agent or "Salt"}
    for line in lines or []:
        name, _, value = line.partition(":")
        found[name.strip()] = value.strip()
    if path is not None:
        with open(path, encoding="utf-8") as handle:
            found.update(_headers(None, [line for line in handle.read().splitlines() if ":" in line], None, agent))
    found.update({str(name): str(value) for name, value in (given or {}).items()})
    return found


def _body(data, path):
    if path is not None:
        with open(path, "rb") as handle:
            return handle.read()
    if isinstance(data, dict):
        data = urllib.parse.urlencode(data)
    return data.encode("utf-8") if isinstance(data, str) else data


def _context(verify, bundle, cert):
    if verify is None:
        verify = seen("__opts__", {}).get("verify_ssl", True)
    context = ssl.create_default_context(cafile=bundle)
    if verify is False:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if cert is not None:
        context.load_cert_chain(*([cert] if isinstance(cert, str) else cert))
    return context


def _text(data, answer):
    charset = answer.headers.get_content_charset() or "utf-8"
    return data.decode(charset, "replace")


def update_ca_bundle(*_, **__):
    return None


def get_ca_bundle(opts=None):
    return ssl.get_default_verify_paths().cafile


def session(user=None, password=None, verify_ssl=True, ca_bundle=None, headers=None, allow_redirects=True):
    """A session of the package `requests`."""
    import requests

    found = requests.Session()
    if user is not None:
        found.auth = (user, password)
    found.verify = ca_bundle or verify_ssl
    found.headers.update(headers or {})
    return found
