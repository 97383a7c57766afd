"""Writes the Python client of the control API from its OpenAPI document.

Each schema becomes a dataclass or a type of literals, each operation a method of `ControlAPI`. What the document contains and
this generator does not know is an error.
"""

from __future__ import annotations

import dataclasses
import http.client
import json
import keyword
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from typing import Any

JSON = dict[str, Any]
WIDTH = 120

HEADER = '''"""The control API of the store: its types, and a method for each of its operations.

Generated from the OpenAPI document of the program in this package. Dates are UNIX milliseconds, amounts are thousandths
of the currency's unit. A parameter that is None is not sent. Where None is sent as null, the default is UNSET.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from openstorekit.client import UNSET, ControlClient, Unset, nullable, optional, present, quoted'''

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
KNOWN = frozenset([
    "type", "description", "properties", "required", "enum", "items", "additionalProperties", "$ref", "default", "format",
    "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "pattern", "contentEncoding"])


def document(program: str) -> JSON:
    """The OpenAPI document of a program, which is started for it. It needs a product to start."""
    with tempfile.NamedTemporaryFile("w", suffix=".storekit") as catalog:
        catalog.write('{"products": [{"productID": "a", "type": "Consumable", "displayPrice": "1"}]}')
        catalog.flush()
        process = subprocess.Popen(
            [program, "emulator", "--end-with-input", "--port", "0", "--config", catalog.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "LOG_LEVEL": "warning"})
        with process:
            assert process.stdin is not None and process.stdout is not None
            line = process.stdout.readline()
            if not line.startswith("ready http://"):
                raise SystemExit(f"{program} did not start.")
            connection = http.client.HTTPConnection(line.split("//")[1].strip())
            connection.request("GET", "/control/openapi.json")
            described: JSON = json.load(connection.getresponse())
            connection.close()
            process.stdin.close()
        return described


def module(described: JSON) -> str:
    """The text of the module `openstorekit.control_api`."""
    return "\n".join([HEADER, *Generator(described).lines()]).rstrip("\n") + "\n"


def snake(name: str) -> str:
    """The name as Python writes it: `appAppleId` is `app_apple_id`."""
    name = name.replace("URLs", "Urls")
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()
    return name + "_" if keyword.iskeyword(name) else name


def docstring(text: str, indent: int) -> list[str]:
    """A docstring of lines that fit."""
    space = " " * indent
    text = text.replace("\\", "\\\\")
    if len(text) + indent + 6 <= WIDTH:
        return [f'{space}"""{text}"""']
    lines = textwrap.wrap(text, WIDTH - indent, initial_indent='"""', break_on_hyphens=False)
    return [space + line for line in [*lines, '"""']]


@dataclasses.dataclass
class Member:
    """A member of an object, or a parameter of an operation."""

    name: str
    schema: JSON
    is_required: bool
    place: str = "body"

    @property
    def python(self) -> str:
        return snake(self.name)

    @property
    def is_nullable(self) -> bool:
        return isinstance(self.schema.get("type"), list)

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))


class Generator:
    """Writes the lines of the module."""

    def __init__(self, described: JSON) -> None:
        self.described = described
        self.schemas: dict[str, JSON] = described["components"]["schemas"]
        self.sent = set(self.schemas_sent())
        self.answered = {name for _, _, operation in self.operations() for name in self.parts(self.answer(operation))}

    def lines(self) -> Iterator[str]:
        """All lines after the header."""
        for name in self.in_order():
            if self.is_alias(self.schemas[name]):
                yield from self.alias(name)
            elif name in self.answered | self.sent:
                yield from self.dataclass(name)
        yield ""
        yield ""
        yield "class ControlAPI(ControlClient):"
        yield from docstring(f"{self.described['info']['description'].split('. ')[0]}.", 4)
        for method, path, operation in self.operations():
            yield from self.method(method.upper(), path, operation)

    # Schemas

    def check(self, schema: JSON) -> None:
        unknown = set(schema) - KNOWN
        if unknown:
            raise SystemExit(f"The generator does not know {sorted(unknown)} of {schema}")

    @staticmethod
    def referred(schema: JSON) -> str:
        """The name of the schema that a reference names; empty for a schema that is no reference."""
        return str(schema.get("$ref", "")).rsplit("/", 1)[-1]

    @staticmethod
    def is_alias(schema: JSON) -> bool:
        return "properties" not in schema

    def members(self, schema: JSON) -> list[Member]:
        required = schema.get("required", [])
        members = [Member(name, of, name in required) for name, of in schema["properties"].items()]
        return sorted(members, key=lambda member: not member.is_required)

    def in_order(self) -> list[str]:
        """The names of the schemas: literals first, because annotations of modules are evaluated in order."""
        return sorted(self.schemas, key=lambda name: (not self.is_alias(self.schemas[name]), name))

    def parts(self, schema: JSON) -> Iterator[str]:
        """The names of the schemas to which a schema refers, directly or through others."""
        name = self.referred(schema)
        if name:
            yield name
            schema = self.schemas[name]
        for part in [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]:
            yield from self.parts(part)

    def schemas_sent(self) -> Iterator[str]:
        """The names of the schemas that are values in bodies of requests."""
        for _, _, operation in self.operations():
            body = self.body(operation)
            if body is not None:
                for member in body["properties"].values():
                    yield from self.parts(member)

    def annotation(self, schema: JSON, is_argument: bool = False) -> str:
        """The type of a value of a schema."""
        self.check(schema)
        if self.referred(schema):
            return self.referred(schema)
        kind = schema["type"]
        if isinstance(kind, list):
            return self.annotation({**schema, "type": next(name for name in kind if name != "null")})
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
        if kind == "array":
            return f"{'Sequence' if is_argument else 'list'}[{self.annotation(schema['items'], is_argument)}]"
        if kind == "object":
            values = schema["additionalProperties"]
            inner = "Any" if values is True else self.annotation(values)
            return f"{'Mapping' if is_argument else 'dict'}[str, {inner}]"
        return SCALARS[kind]

    def alias(self, name: str) -> Iterator[str]:
        schema = self.schemas[name]
        self.check(schema)
        yield ""
        text = f"{name} = {self.annotation(schema)}"
        if len(text) <= WIDTH:
            yield text
        else:
            yield f"{name} = Literal["
            values = ", ".join(json.dumps(value) for value in schema["enum"]) + ","
            yield from textwrap.wrap(values, WIDTH, initial_indent="    ", subsequent_indent="    ")
            yield "]"
        if schema.get("description"):
            yield from docstring(schema["description"], 0)

    def dataclass(self, name: str) -> Iterator[str]:
        schema = self.schemas[name]
        self.check(schema)
        members = self.members(schema)
        yield from ["", "", "@dataclasses.dataclass(frozen=True)", f"class {name}:"]
        words = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
        yield from docstring(schema.get("description") or f"`{words}` of the control API.", 4)
        yield ""
        for member in members:
            kind = self.annotation(member.schema)
            if not member.is_required:
                kind = f"{kind} | None = None"
            yield from self.declaration(f"    {member.python}: {kind}")
            if member.description:
                yield from docstring(member.description, 4)
        yield from ["", "    @classmethod", f"    def from_json(cls, json: Mapping[str, Any]) -> {name}:"]
        yield from docstring("Reads the JSON of the control API. Members that this version does not know are ignored.", 8)
        yield "        return cls("
        for member in members:
            yield f"            {member.python}={self.read(member)},"
        yield "        )"
        if name in self.sent:
            yield from ["", "    def to_json(self) -> dict[str, Any]:"]
            yield from docstring("The JSON of the control API, without the members that are None.", 8)
            yield from self.members_json(members, "        return ", "self.")

    @staticmethod
    def declaration(text: str) -> list[str]:
        """A declaration, with the values of a long type of literals on lines of their own."""
        match = re.fullmatch(r"(.*Literal\[)(.*?)(\].*)", text)
        if len(text) <= WIDTH or match is None:
            return [text]
        inner = textwrap.wrap(match[2] + ",", WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 8)
        return [match[1], *inner, "    " + match[3]]

    def read(self, member: Member) -> str:
        """The expression that reads a member of `json`."""
        key = json.dumps(member.name)
        value = f"json[{key}]" if member.is_required else f"json.get({key})"
        schema, is_list = member.schema, member.schema.get("type") == "array"
        name = self.referred(schema["items"] if is_list else schema)
        if not name or self.is_alias(self.schemas[name]):
            return value
        if is_list and member.is_required:
            return f"[{name}.from_json(item) for item in {value}]"
        if is_list:
            raise SystemExit(f"The generator does not know lists of objects that may be missing: {member.name}")
        return f"{name}.from_json({value})" if member.is_required else f"optional({name}.from_json, {value})"

    def write(self, member: Member, prefix: str) -> str:
        """The expression for the JSON of a value."""
        value = prefix + member.python
        name = self.referred(member.schema)
        if name and not self.is_alias(self.schemas[name]):
            return f"{value}.to_json()" if member.is_required else f"{value} and {value}.to_json()"
        return f"nullable({value})" if member.is_nullable else value

    def members_json(self, members: list[Member], start: str, prefix: str, end: str = "") -> list[str]:
        """A statement with the JSON of values."""
        space = " " * (len(start) - len(start.lstrip()))
        inner = [f"{space}    {json.dumps(member.name)}: {self.write(member, prefix)}," for member in members]
        return [f"{start}present({{", *inner, f"{space}}}){end}"]

    # Operations

    def operations(self) -> Iterator[tuple[str, str, JSON]]:
        """All operations, each with its method and path."""
        for path, operations in sorted(self.described["paths"].items()):
            for method, operation in sorted(operations.items()):
                yield method, path, operation

    @staticmethod
    def answer(operation: JSON) -> JSON:
        """The schema of the answer."""
        found: JSON = next(
            response["content"]["application/json"]["schema"]
            for status, response in operation["responses"].items() if status.startswith("2"))
        return found

    def body(self, operation: JSON) -> JSON | None:
        """The schema of a request's body."""
        if "requestBody" not in operation:
            return None
        return self.schemas[self.referred(operation["requestBody"]["content"]["application/json"]["schema"])]

    def parameters(self, operation: JSON) -> list[Member]:
        found = []
        for parameter in operation.get("parameters", []):
            schema = {"description": parameter.get("description", ""), **parameter["schema"]}
            found.append(Member(parameter["name"], schema, parameter.get("required", False), parameter["in"]))
        body = self.body(operation)
        if body is not None:
            found += self.members(body)
        names = [member.python for member in found]
        if len(set(names)) != len(names):
            raise SystemExit(f"{operation['operationId']} has two parameters of one name: {names}")
        return found

    def method(self, verb: str, path: str, operation: JSON) -> Iterator[str]:
        parameters = self.parameters(operation)
        answer = self.referred(self.answer(operation))
        yield from ["", f"    def {snake(operation['operationId'])}("]
        yield "        self,"
        positional = [member for member in parameters if member.place == "path"]
        named = [member for member in parameters if member.place != "path"]
        for member in positional:
            yield f"        {member.python}: {self.annotation(member.schema)},"
        if named:
            yield "        *,"
        for member in sorted(named, key=lambda member: not member.is_required):
            kind = self.annotation(member.schema, is_argument=True)
            if member.is_nullable:
                kind = f"{kind} | Unset | None = UNSET"
            elif not member.is_required:
                kind = f"{kind} | None = None"
            yield from (("    " + line) for line in self.declaration(f"    {member.python}: {kind},"))
        yield f"    ) -> {answer}:"
        yield from self.method_docstring(operation, parameters)
        for member in positional:
            path = path.replace("{" + member.name + "}", "{quoted(" + member.python + ")}")
        yield "        answer = self.call("
        yield f'            "{verb}",'
        yield f'            {"f" if positional else ""}"{path}",'
        query = [member for member in parameters if member.place == "query"]
        body = [member for member in parameters if member.place == "body"]
        if query:
            yield from self.members_json(query, "            query=", "", ",")
        if body:
            yield from self.members_json(body, "            body=", "", ",")
        yield "        )"
        yield f"        return {answer}.from_json(answer)"

    def method_docstring(self, operation: JSON, parameters: list[Member]) -> Iterator[str]:
        described = [member for member in parameters if member.description]
        text = operation["summary"]
        if not described:
            yield from docstring(text, 8)
            return
        yield from textwrap.wrap(
            text, WIDTH, initial_indent=' ' * 8 + '"""', subsequent_indent=" " * 8, break_on_hyphens=False)
        yield ""
        for member in described:
            yield from textwrap.wrap(
                f":param {member.python}: {member.description}", WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12,
                break_on_hyphens=False)
        yield '        """'


def main() -> None:
    """Writes the module of the program that is the first argument to the file that is the second."""
    pathlib.Path(sys.argv[2]).write_text(module(document(sys.argv[1])))


if __name__ == "__main__":
    main()
