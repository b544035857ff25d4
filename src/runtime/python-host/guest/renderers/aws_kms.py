"""The renderer aws_kms: texts under a data key that AWS KMS decrypts (salt/renderers/aws_kms.py, 3006.16)."""

import base64

from salt.exceptions import SaltConfigurationError

MISSING = []
try:
    import boto3
    import botocore.exceptions
except ImportError:
    MISSING.append("boto3 (Debian: python3-boto3)")
try:
    from cryptography import fernet
except ImportError:
    MISSING.append("cryptography (Debian: python3-cryptography)")


def __virtual__():
    return (False, "Python packages are not installed: " + ", ".join(MISSING)) if MISSING else True


def setting(name):
    return (__opts__.get("aws_kms") or {}).get(name)


def data_key():
    """The data key, which is asked for once for each process."""
    if not hasattr(data_key, "plain"):
        sealed = setting("data_key")
        if not sealed:
            raise SaltConfigurationError("aws_kms:data_key is not set")
        if isinstance(sealed, str):
            sealed = base64.b64decode(sealed)
        try:
            kms = boto3.Session(profile_name=setting("profile_name")).client("kms", endpoint_url=setting("endpoint_url"))
            plain = kms.decrypt(CiphertextBlob=sealed)["Plaintext"]
        except botocore.exceptions.ProfileNotFound:
            named = setting("profile_name") or "default"
            raise SaltConfigurationError('Boto3 could not find the "{}" profile configured in Salt.'.format(named)) from None
        except botocore.exceptions.NoRegionError:
            raise SaltConfigurationError("Boto3 was unable to determine the AWS endpoint region.") from None
        except botocore.exceptions.ClientError as error:
            if error.response.get("Error", {}).get("Code") != "InvalidCiphertextException":
                raise
            raise SaltConfigurationError("aws_kms:data_key is not a valid KMS data key") from None
        data_key.plain = base64.urlsafe_b64encode(plain)
    return data_key.plain


def decrypted(value, newlines):
    if isinstance(value, dict):
        return {name: decrypted(item, newlines) for name, item in value.items()}
    if isinstance(value, list):
        return [decrypted(item, newlines) for item in value]
    if not isinstance(value, (str, bytes)):
        return value
    token = value.encode() if isinstance(value, str) else value
    try:
        return fernet.Fernet(data_key()).decrypt(token.replace(b"\\n", b"\n") if newlines else token).decode()
    except (fernet.InvalidToken, TypeError):
        return value


def render(data, saltenv="base", sls="", argline="", **kws):
    return decrypted(data.read() if hasattr(data, "read") else data, kws.get("translate_newlines", False))
