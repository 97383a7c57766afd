"""The errors of this package."""

from __future__ import annotations


class OpenStoreKitError(Exception):
    """The base class of the errors of this package."""


class StartError(OpenStoreKitError):
    """The program did not start, for example because a `.storekit` file cannot be read.

    The text is what the program printed to standard error.
    """

    def __init__(self, message: str, *, stderr: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.stderr = stderr
        """What the program printed to standard error."""
        self.status = status
        """The exit status of the program; None if it did not run."""


class StoppedError(OpenStoreKitError):
    """The store does not answer, because its program is not running."""


class ControlError(OpenStoreKitError):
    """The store refused a call of the control API."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status, such as 404."""
        self.code = code
        """The reason for programs, such as `unknownTransaction`."""
        self.message = message
        """The reason for people: what is wrong, and what to do."""

    def __str__(self) -> str:
        return f"{self.message} ({self.status} {self.code})"


class NotificationError(OpenStoreKitError):
    """A notification was not sent, or its server did not accept it."""
