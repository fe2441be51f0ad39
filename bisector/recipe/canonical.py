"""Any frozen value as plain data that is equal when the value is, whatever release of bisector made it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum


def digest(words: dict[str, object]) -> str:
    text = json.dumps({key: plain(value) for key, value in words.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        # The type's name tells apart types whose fields are alike.
        return {"type": type(value).__name__, **plain_fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def plain_fields(value: object) -> dict[str, object]:
    """Only what differs from its default, so that a field added later leaves older digests as they are."""
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no fields")
    given = ((field, getattr(value, field.name)) for field in fields(value))
    return {
        field.name: plain(item) for field, item in given if field.default is MISSING or item != field.default
    }
