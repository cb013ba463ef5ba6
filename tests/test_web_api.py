"""The API over HTTP: what it answers, and what it says when a request is wrong."""

import json
import re
from typing import Any

import httpx
import pytest

from conftest import Server

JSON = {"Content-Type": "application/json"}
SNIPPET = "x = 3.0\ny = x**2 + 2*x"


def error_of(answer: httpx.Response) -> tuple[int, str]:
    """Status and code of an error, after a look at its shape."""
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "hint"}
    assert answer.headers["Content-Type"] == "application/json"
    assert error["message"].endswith(".")
    return answer.status_code, error["code"]


def post(server: Server, body: bytes) -> httpx.Response:
    return server.client.post("/api/traces", content=body, headers=JSON)


def without_stats(trace: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in trace.items() if key != "stats"}


def test_expressions_are_differentiated(server: Server) -> None:
    trace = server.run(SNIPPET)
    assert trace["outcome"] == {}
    assert trace["snippet"]["watched"] == ["x"]
    (call,) = trace["gradients"]
    assert trace["tensors"][call["results"][0]["tensor"]]["value"]["data"] == 8.0


def test_the_same_seed_gives_the_same_trace(server: Server) -> None:
    source = """\
import random, numpy as np, tensorflow as tf
x = tf.Variable(tf.random.normal([3]))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x * np.random.rand() + random.random())
print(x.numpy(), y.numpy(), tape.gradient(y, x).numpy(), {"a", "b", "c"})
"""
    first, second = server.run(source, seed=7), server.run(source, seed=7)
    assert without_stats(first) == without_stats(second)
    assert server.run(source, seed=8)["tensors"] != first["tensors"]


def test_a_snippet_that_raises_is_a_trace(server: Server) -> None:
    trace = server.run("import tensorflow as tf\ntf.constant([1.0]) @ tf.constant([2.0])")
    assert trace["outcome"]["kind"] == "raised"
    error = trace["errors"][trace["outcome"]["error"]]
    assert trace["places"][error["place"]]["line"] == 2


@pytest.mark.parametrize("source", ["x = (1", "print 'x'", "def f(:\n  return 2"])
def test_a_source_that_does_not_parse_is_a_trace(server: Server, source: str) -> None:
    trace = server.run(source)
    assert trace["outcome"]["kind"] == "raised"
    error = trace["errors"][trace["outcome"]["error"]]
    assert error["type"] == "SyntaxError"
    assert error["place"] is not None


def test_an_empty_source_is_a_trace(server: Server) -> None:
    for source in ("", " \n\t\n", "# nothing"):
        trace = server.run(source)
        assert trace["snippet"]["text"] == source
        assert "ops" not in trace or trace["ops"] == []


def test_a_nul_in_the_source_is_a_trace(server: Server) -> None:
    trace = server.run("x = 1\nprint('a\0b')")
    assert trace["outcome"].get("kind", "completed") in ("completed", "raised")


def test_ten_megabytes_are_too_large(server: Server) -> None:
    answer = post(server, json.dumps({"source": "x = 1\n" * 1_700_000}).encode())
    assert error_of(answer) == (413, "too_large")
    assert "262,144 bytes" in answer.json()["error"]["message"]


def test_a_body_without_a_length_is_read_only_up_to_the_limit(server: Server) -> None:
    chunks = (b" " * 100_000 for _ in range(1000))
    answer = server.client.post("/api/traces", content=chunks, headers=JSON)
    assert error_of(answer) == (413, "too_large")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", (400, "not_json")),
        (b"x = 3.0", (400, "not_json")),
        (b'{"source": "caf\xe9"}', (400, "not_utf8")),
        (b'{"source": "\\ud83d"}', (422, "invalid")),
        (b"[]", (422, "invalid")),
        (b"{}", (422, "invalid")),
        (b'{"source": 3}', (422, "invalid")),
        (b'{"source": "", "mode": "fast"}', (422, "invalid")),
        (b'{"source": "", "seed": "1"}', (422, "invalid")),
        (b'{"source": "", "seed": -1}', (422, "invalid")),
        (b'{"source": "", "seed": 4294967296}', (422, "invalid")),
        (b'{"source": "", "sead": 1}', (422, "invalid")),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(
    server: Server, body: bytes, expected: tuple[int, str]
) -> None:
    assert error_of(post(server, body)) == expected


def test_errors_name_what_is_wrong(server: Server) -> None:
    def message(body: bytes) -> str:
        text: str = post(server, body).json()["error"]["message"]
        return text

    assert message(b'{"source": "caf\xe9"}') == "The body is not UTF-8: byte 15 is 0xe9."
    assert "`$.source`" in message(b'{"source": 3}')
    assert "`sead`" in message(b'{"source": "", "sead": 1}')


def test_unknown_addresses_have_the_same_shape(server: Server) -> None:
    assert error_of(server.client.get("/api/nothing")) == (404, "not_found")
    assert error_of(server.client.get("/api/traces")) == (405, "method_not_allowed")
    assert error_of(server.client.get("/static/nothing.js")) == (404, "not_found")
    assert error_of(server.client.get("/static/../pyproject.toml")) == (404, "not_found")


def test_health(server: Server) -> None:
    assert server.client.get("/healthz").json() == {"status": "up"}
    server.wait_until_ready()


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/readyz", "/api/examples", "/static/js/main.js", "/openapi.json"]
)
def test_head_is_get_without_the_body(server: Server, path: str) -> None:
    server.wait_until_ready()
    answer = server.client.head(path)
    assert (answer.status_code, answer.content) == (200, b"")
    whole = server.client.get(path)
    assert answer.headers["Content-Type"] == whole.headers["Content-Type"]


@pytest.mark.parametrize("wanted", ["bytes=9-2", "bytes=x", "lines=1-2", "bytes=99999999-"])
def test_a_range_of_a_file_is_all_of_it(server: Server, wanted: str) -> None:
    whole = server.client.get("/static/js/main.js")
    answer = server.client.get("/static/js/main.js", headers={"Range": wanted})
    assert (answer.status_code, answer.text) == (200, whole.text)
    assert answer.headers["Accept-Ranges"] == "none"


def test_the_page_allows_only_its_own_scripts_and_styles(server: Server) -> None:
    first, second = server.client.get("/"), server.client.get("/")
    policy = first.headers["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    (nonce,) = re.findall(r"'nonce-([\w-]+)'", policy)
    assert f'nonce="{nonce}"' in first.text
    assert nonce not in second.text
    assert first.headers["X-Content-Type-Options"] == "nosniff"
    assert first.headers["Cache-Control"] == "no-store"


def test_errors_carry_the_security_headers_too(server: Server) -> None:
    assert "default-src 'none'" in server.client.get("/x").headers["Content-Security-Policy"]


def test_static_files_are_checked_for_freshness_only(server: Server) -> None:
    first = server.client.get("/static/js/main.js")
    assert first.headers["Content-Type"].startswith("text/javascript")
    again = server.client.get(
        "/static/js/main.js", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_answers_are_compressed(server: Server) -> None:
    answer = server.client.post("/api/traces", json={"source": SNIPPET})
    assert answer.headers["Content-Encoding"] == "gzip"


def test_the_gallery_has_a_title_and_a_text_in_both_languages(server: Server) -> None:
    examples = server.client.get("/api/examples").json()
    assert len(examples) >= 5
    for example in examples:
        assert example["source"]
        for part in ("title", "text"):
            assert example[part]["en"]
            assert re.search("[가-힣]", example[part]["ko"])


def test_the_schema_describes_the_trace(server: Server) -> None:
    schema = server.client.get("/schema/trace.json").json()
    assert schema["$ref"] == "#/$defs/Trace"
    assert set(server.run(SNIPPET)) <= set(schema["$defs"]["Trace"]["properties"])


def test_openapi_shows_what_the_server_really_answers(server: Server) -> None:
    operation = server.client.get("/openapi.json").json()["paths"]["/api/traces"]["post"]
    requests = operation["requestBody"]["content"]["application/json"]["examples"]
    assert len(requests) >= 4
    for name, example in requests.items():
        answer = server.client.post("/api/traces", json=example["value"])
        response = operation["responses"][str(answer.status_code)]
        shown = response["content"]["application/json"]["examples"][name]["value"]
        assert _essence(shown) == _essence(answer.json())


def _essence(body: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on the machine or the version of a library."""
    errors = [(error["type"], error["message"]) for error in body.get("errors", [])]
    parts = {part: body.get(part) for part in ("snippet", "outcome", "gradients", "error")}
    return {**parts, "errors": errors}
