"""Salt's own `modules`, as far as they are here."""

from salt._thin import lazily

__getattr__ = lazily(__name__)
