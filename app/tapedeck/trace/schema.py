"""The JSON Schema of the trace document, made from its types.

`python -m tapedeck.trace.schema` writes the committed copy anew.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from tapedeck.trace.document import SCHEMA_VERSION, Trace

COMMITTED = Path(__file__).with_name("schema.json")


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a trace."""
    schema = msgspec.json.schema(Trace)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Tapedeck trace, version {SCHEMA_VERSION}",
        **schema,
    }


def schema_text() -> str:
    """The schema as the committed file holds it."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    COMMITTED.write_text(schema_text(), encoding="utf-8")
