"""The exceptions that modules raise."""

import time as _time


class SaltException(Exception):
    """The root of most of them."""

    def __init__(self, message=""):
        if isinstance(message, bytes):
            message = message.decode("utf-8", "replace")
        super().__init__(message)
        self.strerror = self.message = message if isinstance(message, str) else str(message)

    def pack(self):
        """The exception as data."""
        return {"message": str(self), "args": self.args}


class CommandExecutionError(SaltException):
    """A command or a function failed; `info` has further data about it."""

    def __init__(self, message="", info=None):
        text = message if isinstance(message, str) else str(message)
        self.error = text
        self.info = info
        whole = _with_info(text, info) if info else text
        rest = {key: value for key, value in info.items() if key != "changes"} if isinstance(info, dict) else info
        # in a state, what has changed is told anyway
        self.strerror_without_changes = whole if rest == info else _with_info(text, rest) if rest else text
        super().__init__(whole)


class SaltRenderError(SaltException):
    """A template cannot be rendered; `line_num` and `buffer` say where."""

    def __init__(self, message, line_num=None, buf="", marker="    <======================", trace=None):
        self.error = message
        self.line_num = line_num
        self.buffer = buf
        if line_num and buf:
            import salt.utils.stringutils

            message = "{}; line {}\n\n---\n{}\n---".format(
                message, line_num, salt.utils.stringutils.get_context(buf, line_num, marker=marker)
            )
            if trace:
                message += "\n{}\n".format(trace)
        super().__init__(message)


class SaltInvocationError(SaltException, TypeError):
    """A function was called with arguments that it cannot take."""


class FileLockError(SaltException):
    """A lock cannot be had."""

    def __init__(self, message, time_start=None, *args, **kwargs):
        super().__init__(message)
        self.time_start = _time.time() if time_start is None else time_start


class GitLockError(SaltException):
    """A repository is locked; `errno` says how."""

    def __init__(self, errno, message, *args, **kwargs):
        super().__init__(message)
        self.errno = errno


class SaltSystemExit(SystemExit):
    """The program is to end with this code."""

    def __init__(self, code=0, msg=None):
        super().__init__(msg)
        self.code = code


class MasterExit(SystemExit):
    """The master is to end."""


class LoggingRuntimeError(RuntimeError):
    """A line of the log is wrong."""


def _with_info(message, info):
    """A message with what is known besides."""
    from salt.output.nested import NestDisplay

    if message and message[-1] not in ".?!":
        message += "."
    lines = NestDisplay().display(info, 0, "", [])
    return "{}Additional info follows:\n\n{}".format(message + " " if message else "", "\n".join(lines).rstrip())


# name and ancestor of those that differ from their ancestor in nothing else
_PLAIN = (
    ("SaltException", "AuthenticationError AuthorizationError CommandNotFoundError EauthAuthenticationError FileserverConfigError "
     "GitRemoteError InvalidKeyError LoaderError MinionError MissingSmb NotImplemented NxosError PkgParseError PublishError "
     "SaltCacheError SaltClientError SaltClientTimeout SaltCloudException SaltConfigurationError SaltDaemonNotRunning "
     "SaltDeserializationError SaltMasterError SaltMasterUnresolvableError SaltNoMinionsFound SaltReqTimeoutError SaltRunnerError "
     "SaltSyndicMasterError SaltValidationError SaltWheelError TemplateError TimedProcTimeoutError TimeoutError "
     "TokenAuthenticationError UnsupportedAlgorithm PillarRenderError"),
    ("CommandExecutionError", "ArgumentValueError CheckError CodePageError InvalidConfigError InvalidEntityError VMwareSaltError"),
    ("SaltCloudException", "SaltCloudConfigError SaltCloudExecutionFailure SaltCloudExecutionTimeout SaltCloudNotFound "
     "SaltCloudPasswordError SaltCloudSystemExit"),
    ("NxosError", "NxosCliError NxosClientError NxosRequestNotSupported"),
    ("VMwareSaltError", "VMwareApiError VMwareConnectionError VMwareNotFoundError VMwareObjectExistsError "
     "VMwareObjectRetrievalError VMwarePowerOnError VMwareRuntimeError VMwareSystemError VMwareVmCreationError VMwareVmRegisterError"),
    ("VMwareApiError", "VMwareFileNotFoundError"),
    ("VMwareObjectRetrievalError", "VMwareMultipleObjectsError"),
)
for _ancestor, _names in _PLAIN:
    for _name in _names.split():
        globals()[_name] = type(_name, (globals()[_ancestor],), {"__module__": __name__})


def get_error_message(error):
    """What an exception was made with first."""
    return error.args[0] if error.args else ""
