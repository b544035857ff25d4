"""Functions for templates. Brine's templates have Salt's own filters and `salt['module.function']`; these register nothing there."""


class JinjaFilter:
    salt_jinja_filters = {}

    def __init__(self, name=None):
        self._name = name

    def __call__(self, function):
        self.salt_jinja_filters[self._name or function.__name__] = function
        return function


class JinjaTest(JinjaFilter):
    salt_jinja_tests = {}


class JinjaGlobal(JinjaFilter):
    salt_jinja_globals = {}


jinja_filter, jinja_test, jinja_global = JinjaFilter, JinjaTest, JinjaGlobal
