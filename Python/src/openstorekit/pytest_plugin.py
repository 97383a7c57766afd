"""The pytest fixture `app_store`: an App Store for each test."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from openstorekit.store import AppStore


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of `pytest.ini` or `pyproject.toml`."""
    parser.addini("app_store_config", "the .storekit files of the fixture app_store", type="paths", default=[])
    parser.addini("app_store_bundle_id", "the app that they belong to", default="com.example.app")
    parser.addini(
        "app_store_notification_url",
        "where the server under test receives notifications; empty: in a small receiver of the store", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Describes the marker."""
    config.addinivalue_line(
        "markers",
        "app_store(config, bundle_id, notification_url, notifications, seed, time_rate): options of the fixture app_store, "
        "which are those of openstorekit.AppStore")


class StorePool:
    """Keeps one store for the tests that need one with the same options."""

    def __init__(self) -> None:
        self._store: AppStore | None = None
        self._options: dict[str, Any] | None = None

    def store(self, options: dict[str, Any]) -> AppStore:
        """A store as it is after its start. It runs already if the test before had the same options."""
        from openstorekit.store import AppStore

        if self._store is None or self._options != options:
            self.stop()
            self._store = AppStore(**options).start()
            self._options = options
        return self._store

    def put_back(self, store: AppStore) -> None:
        """Called after a test. A test may have stopped its store; a program that ended by itself is an error."""
        try:
            if store._process is not None:
                store.reset()
            else:
                self.stop()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stops the store."""
        store, self._store = self._store, None
        if store is not None:
            store.stop()


@pytest.fixture(scope="session")
def _app_store_pool() -> Iterator[StorePool]:
    """The stores of a test run, or of a worker of pytest-xdist. For `app_store`."""
    pool = StorePool()
    with _loopback_without_proxy():
        yield pool
        pool.stop()


@pytest.fixture
def app_store(request: pytest.FixtureRequest, _app_store_pool: StorePool) -> Iterator[AppStore]:
    """An App Store without purchases, whose options are those of `pytest.ini` and of the marker `app_store`."""
    store = _app_store_pool.store(_options(request))
    yield store
    _app_store_pool.put_back(store)


def _options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The options of the marker nearest to the test, before those of `pytest.ini`."""
    ini = request.config.getini
    options: dict[str, Any] = {
        "config": [str(path) for path in ini("app_store_config")], "bundle_id": ini("app_store_bundle_id"),
        "notification_url": ini("app_store_notification_url") or None}
    for marker in reversed(list(request.node.iter_markers("app_store"))):
        if marker.args:
            raise pytest.UsageError("The options of the marker app_store have names: @pytest.mark.app_store(config=…)")
        options.update(marker.kwargs)
    if isinstance(options["config"], (str, os.PathLike)):
        options["config"] = [options["config"]]
    # As in pytest.ini, a path is relative to the folder of that file.
    options["config"] = [os.path.join(request.config.rootpath, path) for path in options["config"]]
    if not options["config"]:
        raise pytest.UsageError(
            "The fixture app_store needs products: name a StoreKit configuration file in pytest.ini, such as "
            "app_store_config = Shop.storekit, or in the marker @pytest.mark.app_store(config=\"Shop.storekit\").")
    return options


@contextlib.contextmanager
def _loopback_without_proxy() -> Iterator[None]:
    """Lets clients in this process reach the store although environment variables name a proxy."""
    names = ("NO_PROXY", "no_proxy")
    before = {name: os.environ.get(name) for name in names}
    known = before["NO_PROXY"] or before["no_proxy"] or ""
    if known != "*":
        for name in names:
            os.environ[name] = ",".join([*filter(None, [before[name] or known]), "127.0.0.1", "localhost"])
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
