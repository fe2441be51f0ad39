"""A whole account made harmless before anything is made of it."""

from __future__ import annotations

import dataclasses
import re
from typing import TypeVar, cast

from bisector.harmless import without_credentials
from bisector.model import Account

_SURROGATES = re.compile("[\ud800-\udfff]")

Value = TypeVar("Value")


def washed(account: Account) -> Account:
    """The same account without credentials and without what UTF-8 cannot carry, down to the last text."""
    return _washed(account)


def _washed(value: Value) -> Value:
    if isinstance(value, str):
        return cast(Value, _SURROGATES.sub("\ufffd", without_credentials(value)))
    if isinstance(value, tuple):
        return cast(Value, tuple(_washed(item) for item in value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _washed(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    return value
