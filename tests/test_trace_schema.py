"""The published schema is the one of the types, and describes a trace."""

from tapedeck.trace.document import Repair, Snippet, Trace
from tapedeck.trace.schema import COMMITTED, json_schema, schema_text


def test_committed_copy_is_the_schema_of_the_types() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema_text()


def test_schema_names_every_part_of_a_trace() -> None:
    schema = json_schema()
    trace = schema["$defs"]["Trace"]
    assert set(trace["properties"]) == set(Trace.__struct_fields__)
    assert trace["required"] == ["snippet"]
    assert trace["additionalProperties"] is False


def test_schema_says_what_an_absent_field_means() -> None:
    fields = json_schema()["$defs"]["Snippet"]["properties"]
    assert fields["mode"]["default"] == "script"
    assert fields["mode"]["enum"] == ["expressions", "script"]
    assert Snippet(text="").repairs == () and Repair(code="indent").lines == ()
