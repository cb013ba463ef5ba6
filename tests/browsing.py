"""A person at the page: a real Chromium, and what one does and sees there.

Every test that uses `desk` fails when the page's console had an error, when a script failed, or
when something broke the content security policy.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

ARTICLES = Path(__file__).parent / "articles"
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ANY = re.compile(".+")
RUNNING = re.compile(r"\brunning\b")
#: A Keras training loop of 100 iterations takes a few seconds on a slow machine.
SECONDS = 30_000


def article(name: str) -> str:
    """A snippet as it stands in one of the articles, character for character."""
    return (ARTICLES / f"{name}.txt").read_bytes().decode()


class Desk:
    """The page, as a person uses it."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url

    def open(self, fragment: str = "") -> None:
        """Opens the page and waits until a recording is on it."""
        # A fresh document also where only the fragment differs.
        self.page.goto("about:blank")
        self.page.goto(self.url + fragment)
        expect(self.page.locator("#slider")).to_have_attribute("aria-valuetext", ANY)
        self.finished()

    def paste(self, source: str) -> None:
        """Puts a text into the editor from the clipboard, in place of what stands there."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", source)
        self.page.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Control+v")

    def run(self, source: str) -> None:
        """Pastes a snippet, presses Run and waits for the end of the run."""
        self.paste(source)
        self.page.locator("#run").click()
        self.finished()

    def finished(self) -> None:
        """Waits until no run is under way."""
        expect(self.page.locator("#run")).not_to_have_class(RUNNING, timeout=SECONDS)

    @property
    def slider(self) -> Locator:
        """The ruler."""
        return self.page.locator("#slider")

    def go_to(self, step: int) -> None:
        """Goes to a step with the keys, from the beginning."""
        self.slider.focus()
        self.page.keyboard.press("Home")
        for _ in range(step + 1):
            self.page.keyboard.press("ArrowRight")

    def step(self) -> int:
        """The step shown."""
        return int(self.slider.get_attribute("aria-valuenow") or "-2")

    def last_step(self) -> int:
        """The last step of the recording."""
        return int(self.slider.get_attribute("aria-valuemax") or "-2")

    def gradients(self) -> list[list[str]]:
        """The table of gradients, cell by cell."""
        rows = self.page.locator("#gradients tbody tr").all()
        return [row.locator("td").all_inner_texts() for row in rows]

    def console(self) -> list[str]:
        """The lines of the console."""
        return self.page.locator("#console .out > span").all_inner_texts()

    def lanes(self) -> list[list[str]]:
        """The states of the tapes over time: tape, state, first and last step."""
        rows = self.page.locator("#lanes-table tbody tr").all()
        return [row.locator("th, td").all_text_contents() for row in rows]

    def finding(self) -> Locator:
        """The findings shown."""
        return self.page.locator("#side-body article")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser: the one named by TAPEDECK_CHROMIUM, the system's, else Playwright's own."""
    path = os.environ.get("TAPEDECK_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(SWITCHES))
        yield browser
        browser.close()


def desk_in(context: BrowserContext, url: str) -> tuple[Desk, list[str]]:
    """A desk, and the list in which its page's complaints gather."""
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(f"{error}"))
    page.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    return Desk(page, url), complaints


@pytest.fixture
def browser_options() -> dict[str, object]:
    """What a test may override: language, size, colours of its browser."""
    return {}


@pytest.fixture
def desk(chromium: Browser, server_url: str, browser_options: dict[str, object]) -> Iterator[Desk]:
    """A desk with a wide window, in English unless the test says otherwise."""
    wanted = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **browser_options}
    context = chromium.new_context(**wanted)  # type: ignore[arg-type]
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server_url)
    desk, complaints = desk_in(context, server_url)
    yield desk
    context.close()
    assert complaints == []
