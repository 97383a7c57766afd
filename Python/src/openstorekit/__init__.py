"""An App Store on your machine, for the tests of a backend."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openstorekit.client import UNSET
    from openstorekit.control_api import ControlAPI, Subscription, Transaction, TransactionProofs
    from openstorekit.errors import ControlError, NotificationError, OpenStoreKitError, StartError, StoppedError
    from openstorekit.notifications import Notifications, ServerNotification
    from openstorekit.settings import BackendSettings
    from openstorekit.store import AppStore

__all__ = [
    "UNSET",
    "AppStore",
    "BackendSettings",
    "ControlAPI",
    "ControlError",
    "NotificationError",
    "Notifications",
    "OpenStoreKitError",
    "ServerNotification",
    "StartError",
    "StoppedError",
    "Subscription",
    "Transaction",
    "TransactionProofs",
]

_MODULES = {
    "UNSET": "client", "AppStore": "store", "BackendSettings": "settings", "Notifications": "notifications",
    "ServerNotification": "notifications", "ControlAPI": "control_api", "Subscription": "control_api",
    "Transaction": "control_api", "TransactionProofs": "control_api"}


def __getattr__(name: str) -> Any:
    # Modules are imported when they are used: the command `openstorekit` and pytest's plugin begin without most of them.
    if name not in __all__:
        raise AttributeError(f"module 'openstorekit' has no attribute {name!r}")
    return getattr(importlib.import_module(f"openstorekit.{_MODULES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return __all__
