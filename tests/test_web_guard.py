"""Who may ask: programs and Tapedeck's own page, never a page of another site."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from conftest import ROOT, Server, start_server
from test_web_api import error_of

BODY = json.dumps({"source": "x = 3.0\nx * x"}).encode()
JSON = {"Content-Type": "application/json"}


def ask(server: Server, headers: dict[str, str]) -> httpx.Response:
    return httpx.post(f"{server.url}/api/traces", content=BODY, headers=headers, timeout=30)


@pytest.mark.parametrize(
    "kind",
    [
        "application/xml",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "",
    ],
)
def test_a_body_that_is_not_said_to_be_json_is_refused(server: Server, kind: str) -> None:
    answer = ask(server, {"Content-Type": kind} if kind else {})
    assert error_of(answer) == (415, "not_said_to_be_json")
    assert answer.json()["error"]["hint"] == "Send the header Content-Type: application/json."


def test_json_may_name_its_charset(server: Server) -> None:
    assert ask(server, {"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost", "http://[", ""],
)
def test_a_page_of_another_origin_is_refused(server: Server, origin: str) -> None:
    assert error_of(ask(server, {**JSON, "Origin": origin})) == (403, "foreign_origin")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_a_browser_says_comes_from_another_site_is_refused(server: Server, site: str) -> None:
    assert error_of(ask(server, {**JSON, "Sec-Fetch-Site": site})) == (403, "foreign_origin")


def test_its_own_page_is_served(server: Server) -> None:
    headers = {**JSON, "Origin": server.url, "Sec-Fetch-Site": "same-origin"}
    assert ask(server, headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_name_that_leads_here_is_not_its_name(server: Server, host: str) -> None:
    for path in ("/", "/api/examples", "/healthz"):
        answer = server.client.get(path, headers={"Host": host})
        assert error_of(answer) == (403, "unknown_host")
    headers = {**JSON, "Host": host, "Origin": f"http://{host}"}
    assert error_of(ask(server, headers)) == (403, "unknown_host")


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "10.1.2.3:80", "[::1]:9"]
)
def test_addresses_and_localhost_are_its_names(server: Server, host: str) -> None:
    assert server.client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.fixture(scope="module")
def named() -> Iterator[Server]:
    with start_server(TAPEDECK_HOSTS="tapes.example, Deck.example") as server:
        yield server


def test_names_can_be_given(named: Server) -> None:
    headers = {**JSON, "Host": "tapes.example", "Origin": "https://tapes.example"}
    assert ask(named, headers).status_code == 200
    # Behind a proxy that renames the host.
    headers = {**JSON, "Host": "127.0.0.1:8000", "Origin": "https://deck.example"}
    assert ask(named, headers).status_code == 200
    headers = {**JSON, "Host": "tapes.example", "Origin": "https://evil.example"}
    assert error_of(ask(named, headers)) == (403, "foreign_origin")


def test_the_readmes_curl_works(server: Server) -> None:
    (command,) = re.findall(
        r"^curl .*?'$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    words = shlex.split(command.replace("\\\n", " "))
    options: dict[str, Any] = dict(zip(words[2::2], words[3::2], strict=True))
    name, _, value = options["-H"].partition(": ")
    answer = httpx.post(
        words[1].replace("http://127.0.0.1:8000", server.url),
        content=options["-d"],
        headers={name: value},
        timeout=30,
    )
    assert answer.json()["outcome"] == {}
