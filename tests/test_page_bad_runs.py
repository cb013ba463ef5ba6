"""Runs that go wrong, and what the page makes of them."""

import re

import pytest
from playwright.sync_api import Browser, expect

from browsing import Desk
from conftest import start_server

ENDLESS = "import tensorflow as tf\nx = tf.Variable(1.0)\nwhile True:\n    x.assign_add(1.0)\n"


def test_an_endless_loop_is_cancelled_and_loses_nothing(desk: Desk) -> None:
    desk.open()
    before = desk.gradients()
    desk.paste(ENDLESS)
    run = desk.page.locator("#run")
    run.click()
    expect(desk.page.locator("#run-word")).to_have_text("Cancel")
    expect(desk.page.locator("#meta")).to_have_text(
        re.compile(r"^Running · \d+ s · [\d,]+ ops so far · at line 4$")
    )
    run.click()
    expect(desk.page.locator("#run-word")).to_have_text("Run")
    expect(desk.page.locator("#notices")).to_contain_text(
        "Cancelled. Graph and tables are of the run before."
    )
    expect(desk.page.locator("body")).to_have_class("stale failed")
    expect(desk.page.locator(".cm-content")).to_contain_text("while True:")
    assert desk.gradients() == before
    # The next run is served as if nothing had been.
    desk.run("x = 3.0\nx ** 2\n")
    expect(desk.page.locator("body")).to_have_class("")
    assert [row[2] for row in desk.gradients()] == ["6.0"]


def test_a_run_that_times_out_keeps_what_was_recorded(desk: Desk) -> None:
    desk.open()
    desk.run(
        "import tensorflow as tf\nx = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n"
        "    y = x * x\nprint(tape.gradient(y, x))\nwhile True: pass\n"
    )
    notice = desk.page.locator("#notices")
    expect(notice).to_contain_text("Timed out.")
    expect(notice).to_contain_text("steps up to there are kept")
    assert desk.gradients() == [["y", "x", "4.0", "line 5"]]


def test_a_crash_is_an_outcome(desk: Desk) -> None:
    desk.open()
    desk.run(
        "import os\nimport tensorflow as tf\nx = tf.Variable(2.0)\nprint('kept')\nos.abort()\n"
    )
    expect(desk.page.locator("#notices")).to_contain_text("The process crashed.")
    assert desk.console() == ["kept"]


def test_an_exit_code_is_told(desk: Desk) -> None:
    desk.open()
    desk.run("import sys\nprint('before')\nsys.exit(3)\n")
    expect(desk.page.locator("#notices")).to_contain_text("exit code 3")


def test_a_syntax_error_is_underlined_at_its_place(desk: Desk) -> None:
    desk.open()
    desk.run("import tensorflow as tf\nx = tf.constant(3.0))\ny = x\n")
    expect(desk.page.locator(".editor .mark.break")).to_have_text(")")
    expect(desk.page.locator(".cm-line.line-bad")).to_contain_text("tf.constant(3.0))")
    expect(desk.page.locator("#notices")).to_contain_text("SyntaxError: A bracket is missing")
    expect(desk.page.locator("#notices")).to_contain_text("line 2")


def test_places_count_characters_not_utf16_units(desk: Desk) -> None:
    desk.open()
    desk.run("s = '🎞🎞🎞'; y = undefined_name\n")
    expect(desk.page.locator(".editor .mark.break")).to_have_text("undefined_name")


def test_an_edit_takes_the_marks_away(desk: Desk) -> None:
    desk.open()
    desk.run("import tensorflow as tf\nx = tf.constant(3.0))\n")
    desk.page.locator(".cm-content").click()
    desk.page.keyboard.press("Control+End")
    desk.page.keyboard.type("# more")
    expect(desk.page.locator(".editor .mark")).to_have_count(0)
    expect(desk.page.locator("#notices")).to_contain_text("Edited since this run.")


def test_what_a_snippet_prints_and_names_is_text(desk: Desk) -> None:
    desk.open()
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    desk.page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    desk.run(
        f"import tensorflow as tf\nw = tf.Variable(2.0, name='v')\nevil = {evil!r}\nprint(evil)\n"
        "with tf.GradientTape() as tape:\n    with tf.name_scope('s'):\n        y = w * w\n"
        "g = {evil: tape.gradient(y, {evil: w})}\nraise ValueError(evil)\n"
    )
    assert desk.console()[0] == evil
    assert desk.console()[-1] == f"ValueError: {evil}"
    expect(desk.page.locator("#sentence")).to_contain_text("<script>alert(1)</script>")
    assert (
        desk.page.locator("body script, #console img, #gradients img, #side-body img").count() == 0
    )
    for step in range(desk.last_step() + 1):
        desk.page.keyboard.press("Home") if step == 0 else desk.page.keyboard.press("ArrowRight")


def test_expressions_say_what_was_done_and_open_as_a_script(desk: Desk) -> None:
    desk.open()
    desk.run("x = 3.0\ny = x**2 + 2*x\n")
    notice = desk.page.locator("#notices")
    expect(notice).to_contain_text("Ran under a tape: x watched.")
    assert desk.gradients() == [["y", "x", "8.0", "line 2"]]
    notice.locator("summary").click()
    expect(notice.locator(".script")).to_contain_text("tf.GradientTape()")
    notice.get_by_role("button", name="Open as script").click()
    desk.finished()
    expect(desk.page.locator(".cm-content")).to_contain_text("tf.GradientTape()")
    assert [row[2] for row in desk.gradients()] == ["8.0"]


def test_a_source_that_is_too_large_is_refused_with_a_sentence(
    chromium: Browser, desk: Desk
) -> None:
    desk.open()
    # The browser logs the 413 itself; a page of its own, whose console is not looked at.
    page = chromium.new_context(locale="en-US").new_page()
    big = Desk(page, desk.url)
    big.open()
    page.locator(".cm-content").click()
    page.evaluate(
        "document.activeElement.dispatchEvent(new InputEvent('beforeinput', "
        "{inputType: 'insertText', data: '#' + 'x'.repeat(12e6), cancelable: true, bubbles: true}))"
    )
    page.locator("#run").click()
    big.finished()
    expect(page.locator("#notices")).to_contain_text("too large for this server")
    page.context.close()


def test_a_server_that_went_away_loses_nothing(chromium: Browser) -> None:
    page = chromium.new_context(locale="en-US").new_page()
    with start_server() as server:
        desk = Desk(page, server.url)
        desk.open()
        before = desk.gradients()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# mine")
    page.locator("#run").click()
    expect(page.locator("#notices")).to_contain_text(
        "The server does not answer. Your snippet is kept here."
    )
    expect(page.locator(".cm-content")).to_contain_text("# mine")
    assert desk.gradients() == before
    page.context.close()


def findings(desk: Desk) -> str:
    """What stands under Findings."""
    desk.page.locator("#tab-findings").click()
    return desk.page.locator("#side-body").inner_text()


def test_no_findings_claims_no_more_than_was_looked_for(desk: Desk) -> None:
    desk.open()
    desk.run(
        "import tensorflow as tf\nx = tf.Variable(2.0)\n"
        "with tf.GradientTape() as tape:\n    y = x * x\n"
    )
    assert findings(desk) == "No findings. This run called no gradient()."
    desk.run(
        "import tensorflow as tf\nx = tf.Variable([-1.0, 0.0])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(tf.sqrt(x))\nprint(tape.gradient(y, x))\n"
    )
    said = findings(desk)
    assert re.fullmatch(
        r"No findings\. \d+ known mistakes with tapes and gradients were looked for; others are not "
        r"ruled out\. 1 gradient holds nan or inf\.",
        said,
    )
    expect(desk.page.locator("#gradients .verdict.break")).to_have_text("[nan, inf]")


def test_an_empty_snippet_says_so(desk: Desk) -> None:
    desk.open()
    desk.run(" ")
    expect(desk.page.locator("#notices")).to_have_text("The snippet is empty: nothing ran.")
    assert findings(desk) == "No findings: nothing ran that could be checked."
