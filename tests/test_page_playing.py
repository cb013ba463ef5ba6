"""The deck: playing, stepping, the sentence, the lanes."""

import re

import pytest
from playwright.sync_api import expect

from browsing import Desk

TWO_PATHS = """import tensorflow as tf

x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x * x + 2 * x

print(tape.gradient(y, x))
"""


@pytest.fixture
def recorded(desk: Desk) -> Desk:
    """The desk with the two paths on it."""
    desk.open()
    desk.run(TWO_PATHS)
    return desk


def step_of(desk: Desk, sentence: str) -> int:
    """The first step, from the beginning, whose sentence holds this text."""
    desk.slider.focus()
    desk.page.keyboard.press("Home")
    while desk.step() < desk.last_step():
        desk.page.keyboard.press("ArrowRight")
        if sentence in (desk.slider.get_attribute("aria-valuetext") or ""):
            return desk.step()
    raise AssertionError(sentence)


def test_the_page_opens_with_an_example_run_and_drawn(desk: Desk) -> None:
    desk.open()
    expect(desk.page.locator("#title-note")).to_have_text("from the gallery")
    expect(desk.page.locator("#graph svg [data-node], #graph .node").first).to_be_visible()
    assert desk.step() == desk.last_step() > 5
    assert desk.gradients() != []


def test_playing_goes_forwards_then_backwards_and_ends_on_the_gradients(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    page.get_by_role("button", name="4×").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".window")).to_have_class(re.compile("turning"))
    expect(page.locator(".lamp")).to_have_text("Recording")
    expect(page.locator(".led")).to_have_class(re.compile("lit"))
    expect(page.locator(".lamp")).to_have_text("Rewinding", timeout=15_000)
    expect(page.locator(".led")).not_to_have_class(re.compile("lit"))
    expect(page.locator("#gradients")).to_be_focused(timeout=15_000)
    assert desk.step() == desk.last_step()
    assert desk.gradients() == [["y", "x", "8.0", "line 8"]]
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_each_step_has_its_sentence(recorded: Desk) -> None:
    desk = recorded
    for sentence in (
        "Before the first step",
        "tape created, not yet entered · line 5",
        "tape records from here",
        "tape watches x by itself",
        "Mul recorded: 3.0 * 3.0 = 9.0 · line 6",
        "Mul recorded: 2.0 * 3.0 = 6.0 · line 6",
        "AddV2 recorded: 9.0 + 6.0 = 15.0 · line 6",
        "tape stopped as the block ended, 3 ops held",
        "gradient(y, x) begins · line 8",
        "AddV2 rewound: 1 arrives, sends on 1 and 1",
        "Mul rewound: 1 arrives, sends on 3 and 3",
        "Sum for x:",
        "= 8",
        "gradient(y, x) gives 8",
        "tape consumed, 3 ops released",
        "Printed: tf.Tensor(8.0, shape=(), dtype=float32)",
    ):
        if sentence.startswith("Before"):
            desk.go_to(-1)
            expect(desk.slider).to_have_attribute("aria-valuetext", re.compile(sentence))
        else:
            step_of(desk, sentence)


def test_the_keys_of_the_deck(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    page.locator("#side-body").focus()
    page.keyboard.press("Home")
    assert desk.step() == -1
    page.keyboard.press("]")
    expect(page.locator("#sentence")).to_contain_text("tape created")
    page.keyboard.press("]")
    expect(page.locator("#sentence")).to_contain_text("tape records")
    page.keyboard.press("[")
    expect(page.locator("#sentence")).to_contain_text("tape created")
    page.keyboard.press("ArrowLeft")
    before = desk.step()
    page.keyboard.press("ArrowRight")
    assert desk.step() == before + 1
    page.keyboard.press("End")
    assert desk.step() == desk.last_step()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()


def test_the_keys_are_letters_while_one_types(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    step = desk.step()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("# [ ] / ")
    assert desk.step() == step
    expect(page.locator(".cm-content")).to_contain_text("# [ ] /")
    page.keyboard.press("Control+Enter")
    desk.finished()
    expect(page.locator("#notices")).to_be_empty()


def test_everything_is_reached_by_tab(recorded: Desk) -> None:
    page = recorded.page
    page.locator("#picker").focus()
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    wanted = {"copy", "theme", "run", "seed", "search", "slider", "key-toggle", "tab-inspector"}
    assert wanted <= reached


def test_the_lanes_as_a_table(recorded: Desk) -> None:
    states = [(row[0], row[1]) for row in recorded.lanes()]
    assert states == [
        ("tape", "created"),
        ("tape", "recording"),
        ("tape", "stopped"),
        ("tape", "rewinding"),
        ("tape", "consumed"),
    ]


def test_a_press_on_the_ruler_goes_to_its_step(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    box = desk.slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.4, box["y"] + 30)
    assert 0 < desk.step() < desk.last_step()


def test_the_code_shows_the_step(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    step_of(desk, "Mul recorded: 2.0 * 3.0 = 6.0")
    expect(page.locator(".editor .mark.recording")).to_have_text("2 * x")
    expect(page.locator(".cm-line.line-now")).to_contain_text("y = x * x + 2 * x")
    hints = page.locator(".hint").evaluate_all("nodes => nodes.map(node => node.dataset.text)")
    assert hints == ["3.0", "9.0, 6.0"]
    expect(page.locator(".tape-margin.recording")).to_have_count(2)
    step_of(desk, "Mul rewound: 1 arrives, sends on 3 and 3")
    assert page.locator(".editor .mark.rewinding").all_inner_texts() == [
        "x * x",
        "tape.gradient(y, x)",
    ]


def test_the_inspector_shows_contributions_and_their_sum(recorded: Desk) -> None:
    desk, page = recorded, recorded.page
    step_of(desk, "Sum for x:")
    page.locator("#tab-inspector").click()
    rows = page.locator("#side-body .contributions tbody tr")
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    assert [row[1:] for row in cells[:3]] == [
        ["1", "× 3", "3"],
        ["1", "× 3", "3"],
        ["1", "× 2", "2"],
    ]
    assert cells[-1] == ["Sum", "3 + 3 + 2 = 8"]


def test_an_op_says_why_it_is_not_recorded(desk: Desk) -> None:
    desk.open()
    desk.run(
        "import tensorflow as tf\nw = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n"
        "    y = w * 3.0\nloss = y ** 2\nprint(tape.gradient(loss, w))\n"
    )
    step_of(desk, "Pow not recorded: tape had stopped at step")
    desk.page.locator("#tab-inspector").click()
    expect(desk.page.locator("#side-body .tapes")).to_contain_text("not recorded")
    expect(desk.page.locator("#side-body .tapes")).to_contain_text("tape had stopped at step")
    desk.page.keyboard.press("End")
    assert desk.gradients() == [["loss", "w", "None", "line 6"]]
    expect(desk.page.locator("#gradients-note")).to_have_text("1 of 1 is None")
