"""The generated module against the OpenAPI document of the program."""

import dataclasses
import http.client
import inspect
import json
import pathlib
import sys
import typing

import pytest

from openstorekit import ControlAPI, control_api

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from generator.control_api import Generator, module, snake

pytestmark = pytest.mark.app_store(config="tests/Shop.storekit", bundle_id="com.example.shop")


@pytest.fixture
def document(app_store):
    connection = http.client.HTTPConnection(app_store.url.split("//")[1])
    connection.request("GET", "/control/openapi.json")
    document = json.load(connection.getresponse())
    connection.close()
    return document


def test_the_module_of_the_wheel_is_that_of_its_program(document):
    text = pathlib.Path(control_api.__file__).read_text()
    assert text == module(document) == module(json.loads(json.dumps(document, sort_keys=True)))


def test_each_operation_has_a_method_with_its_parameters(document):
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert len(operations) > 50
    for operation in operations:
        method = getattr(ControlAPI, snake(operation["operationId"]))
        names = [parameter["name"] for parameter in operation.get("parameters", [])]
        if "requestBody" in operation:
            name = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]
            names += document["components"]["schemas"][name]["properties"]
        assert set(inspect.signature(method).parameters) == {"self", *map(snake, names)}
        assert inspect.getdoc(method).split()[:3] == operation["summary"].split()[:3]


def test_types_can_be_resolved(document):
    for name in document["components"]["schemas"]:
        of = getattr(control_api, name, None)
        if dataclasses.is_dataclass(of) and sys.version_info >= (3, 10):
            assert typing.get_type_hints(of)


def test_names():
    assert [snake(name) for name in ["appAppleId", "baseURLs", "documented21003", "inAppOwnershipType", "from"]] == [
        "app_apple_id", "base_urls", "documented21003", "in_app_ownership_type", "from_"]


def test_nested_values_are_sent_and_read(app_store):
    fault = app_store.control.set_fault(
        kind="appError", count=1, scope=control_api.FaultScope(calls=["confirm"], customer="ada"),
        error=control_api.AppError(
            domain="SKErrorDomain", code=2, underlying=control_api.UnderlyingError(domain="D", code=3)))
    assert fault.scope == control_api.FaultScope(calls=["confirm"], customer="ada")
    assert fault.error.underlying.code == 3
    assert fault.warnings
    listed = app_store.control.faults().faults
    assert [(of.id, of.error, of.warnings) for of in listed] == [(fault.id, fault.error, fault.warnings)]


def test_what_the_generator_does_not_know_is_an_error(document):
    document["components"]["schemas"]["Clock"]["properties"]["rate"]["oneOf"] = []
    with pytest.raises(SystemExit, match="oneOf"):
        list(Generator(document).lines())
