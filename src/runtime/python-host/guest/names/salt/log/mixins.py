"""Classes to inherit from in handlers of logs."""


class NewStyleClassMixIn:
    pass


class LoggingMixin:
    pass


class LoggingTraceMixIn:
    pass


class LoggingGarbageMixIn:
    pass


class ExcInfoOnLogLevelFormatMixIn:
    pass
