"""From the click on Run to the drawn graph, in Chromium."""

import shutil
import statistics

from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from bench import server

TURNS = 5
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]

#: Clicks on Run; gives the milliseconds until the graph is laid out and the frame with it painted.
CLICK_TO_DRAWN = """() => new Promise((resolve) => {
  const done = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  document.querySelector("#graph").addEventListener("graph-drawn", done, { once: true });
  const start = performance.now();
  document.querySelector("#run").click();
})"""


def snippet(ops: int) -> str:
    """A snippet of about `ops` forward ops that can be seen: a chain in a loop."""
    return (
        "import tensorflow as tf\nx = tf.Variable(1.0)\nwith tf.GradientTape() as tape:\n"
        f"    y = x * 1.0\n    for _ in range({(ops - 1) // 2}):\n"
        "        y = tf.sin(y) + 0.5\nprint(tape.gradient(y, x))\n"
    )


def measure() -> list[str]:
    """No aim: the figures are what they are."""
    with server.running() as client, sync_playwright() as playwright:
        browser = chromium(playwright)
        try:
            return [_measure(browser.new_page(), str(client.base_url), n) for n in (20, 200, 2000)]
        finally:
            browser.close()


def _measure(page: Page, url: str, ops: int) -> str:
    page.goto(url)
    graph_is_drawn(page)
    times = []
    for turn in range(TURNS):
        # A text that differs each turn, so that the page has to run it again.
        _write(page, f"{snippet(ops)}# {turn}\n")
        times.append(page.evaluate(CLICK_TO_DRAWN))
    page.close()
    return (
        f"click to drawn graph, {ops:>5} ops   {statistics.median(times):9.1f} ms   ({TURNS} turns)"
    )


def chromium(playwright: Playwright) -> Browser:
    """The system's Chromium, else Playwright's own."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)


def graph_is_drawn(page: Page) -> None:
    """Returns when a graph is there."""
    expect(page.locator("#graph .node").first).to_be_visible(timeout=30_000)


def _write(page: Page, text: str) -> None:
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)
