"""The exceptions that modules raise."""


class SaltException(Exception):
    """The root of all of them."""

    def __init__(self, message=""):
        super().__init__(message)
        self.strerror = self.message = message if isinstance(message, str) else str(message)


class CommandExecutionError(SaltException):
    def __init__(self, message="", info=None):
        super().__init__(message)
        self.error = message
        self.info = info


class SaltInvocationError(SaltException, TypeError):
    pass


class ArgumentValueError(CommandExecutionError):
    pass


class CommandNotFoundError(SaltException):
    pass


class CheckError(SaltException):
    pass


class MinionError(SaltException):
    pass


class FileserverConfigError(SaltException):
    pass


class FileLockError(SaltException):
    pass


class TimeoutError(SaltException):
    pass


class SaltRenderError(SaltException):
    def __init__(self, message="", line_num=None, buf="", marker="", trace=None):
        super().__init__(message)


class SaltReqTimeoutError(SaltException):
    pass


class SaltConfigurationError(SaltException):
    pass


class SaltSystemExit(SystemExit):
    def __init__(self, code=0, msg=None):
        super().__init__(msg)
        self.code = code


class AuthenticationError(SaltException):
    pass


class AuthorizationError(SaltException):
    pass


class PkgParseError(SaltException):
    pass


class PillarRenderError(SaltException):
    pass


class TemplateError(SaltException):
    pass


class InvalidConfigError(CommandExecutionError):
    pass


class TimedProcTimeoutError(SaltException):
    pass


class EauthAuthenticationError(SaltException):
    pass


class TokenAuthenticationError(SaltException):
    pass


class SaltClientError(SaltException):
    pass


class SaltMasterError(SaltException):
    pass


class SaltNoMinionsFound(SaltException):
    pass


class LoaderError(SaltException):
    pass
