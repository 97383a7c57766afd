"""HTTP with JSON, for the control API."""

from __future__ import annotations

import enum
import http.client
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any, Callable, Final, TypeVar

from openstorekit.errors import ControlError, OpenStoreKitError, StoppedError

Value = TypeVar("Value")


class Unset(enum.Enum):
    """The type of UNSET."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET
"""The value of a parameter that is not sent, where None is sent as null."""


class Null(enum.Enum):
    """The type of NULL, which is sent as null."""

    NULL = "null"


def nullable(value: Any) -> Any:
    """The value of a parameter for which None is sent as null."""
    return Null.NULL if value is None else value


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that are sent, of parameters that may be missing."""
    sent = {name: value for name, value in members.items() if value is not None and value is not UNSET}
    return {name: None if value is Null.NULL else value for name, value in sent.items()}


def optional(read: Callable[[Mapping[str, Any]], Value], json: Mapping[str, Any] | None) -> Value | None:
    """Reads a member that may be missing."""
    return None if json is None else read(json)


def quoted(value: str | int) -> str:
    """A value as a part of a path."""
    return urllib.parse.quote(str(value), safe="")


class ControlClient:
    """Calls the control API of a running store."""

    def __init__(self, url: str, *, token: str | None = None) -> None:
        """Makes a client.

        :param url: The address of the store, such as `http://127.0.0.1:8080`, with or without `/control/v1`.
        :param token: The token of `--control-token`.
        """
        address = urllib.parse.urlsplit(url)
        if address.scheme != "http" or not address.netloc:
            raise ValueError(f"The address of a store is such as http://127.0.0.1:8080; it is {url!r}.")
        self.url = f"http://{address.netloc}/control/v1"
        """The address of the control API."""
        self._netloc = address.netloc
        self._token = token

    def call(
        self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: Mapping[str, Any] | None = None
    ) -> Any:
        """Sends a request, and returns the JSON of the answer.

        :raises ControlError: The store refused it.
        :raises StoppedError: There is no store at this address.
        """
        # A test that fails here is interested in its own line.
        __tracebackhide__ = True
        if query:
            path += "?" + urllib.parse.urlencode({name: _text(value) for name, value in query.items()})
        headers = {} if self._token is None else {"Authorization": f"Bearer {self._token}"}
        content = None
        if method != "GET":
            headers["Content-Type"] = "application/json"
            content = json.dumps(body or {})
        # Not through a proxy, which environment variables may name. Without a time limit, because the store has one for each
        # call that waits, and the connection breaks if it ends.
        connection = http.client.HTTPConnection(self._netloc)
        try:
            connection.request(method, "/control/v1" + path, content, headers)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise self.unreachable(error) from error
        finally:
            connection.close()
        if answer.status >= 300:
            raise refusal(answer.status, data)
        return json.loads(data)

    def unreachable(self, error: Exception) -> OpenStoreKitError:
        """The error for a store that does not answer."""
        return StoppedError(f"No store answers at {self.url}: {error}")


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def refusal(status: int, data: bytes) -> ControlError:
    """The error for an answer with an error's status."""
    try:
        reason = json.loads(data)["error"]
        return ControlError(status, reason["code"], reason["message"])
    except (ValueError, KeyError, TypeError):
        return ControlError(status, "unknown", data.decode(errors="replace")[:1000])

