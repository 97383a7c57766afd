import pathlib

import pytest

pytest_plugins = ["pytester"]

CONFIG = pathlib.Path(__file__).parent / "Shop.storekit"


@pytest.fixture
def config():
    return CONFIG
