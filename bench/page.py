"""From the click on Run to the drawn graph, in Chromium."""

import statistics

from playwright.sync_api import Page, expect, sync_playwright

from bench import server
from bench.pairs import seconds

TURNS = 5
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]


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
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=ARGUMENTS
        )
        try:
            return [_measure(browser.new_page(), str(client.base_url), n) for n in (20, 200, 2000)]
        finally:
            browser.close()


def _measure(page: Page, url: str, ops: int) -> str:
    page.goto(url)
    graph_is_drawn(page)
    editor = page.locator(".cm-content")
    times = []
    for turn in range(TURNS):
        # A snippet that differs each turn, so that the old graph cannot be taken for the new one.
        editor.fill(f"{snippet(ops)}# {turn}\n")
        times.append(seconds(lambda: _run(page)))
    page.close()
    median = statistics.median(times) * 1000
    return f"click to drawn graph, {ops:>5} ops      {median:9.1f} ms   ({TURNS} turns)"


def _run(page: Page) -> None:
    page.locator("#graph").evaluate("graph => { delete graph.dataset.drawn; }")
    page.locator("#run").click()
    graph_is_drawn(page)


def graph_is_drawn(page: Page) -> None:
    expect(page.locator("#graph[data-drawn]")).to_be_visible(timeout=30_000)
