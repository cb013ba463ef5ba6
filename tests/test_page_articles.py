"""The snippets of five articles, pasted as they stand there, show what TensorFlow really does."""

import pytest
from playwright.sync_api import expect

from browsing import Desk, article

USED_UP = (
    "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
)


def test_square_gives_six(desk: Desk) -> None:
    desk.open()
    desk.run(article("square_once"))
    assert desk.gradients() == [["y", "x", "6.0", "line 9"]]
    assert desk.console() == ["tf.Tensor(6.0, shape=(), dtype=float32)"]


def test_the_second_call_raises_tensorflows_own_error(desk: Desk) -> None:
    desk.open()
    desk.run(article("cube_twice"))
    assert desk.gradients() == [
        ["y", "x", "27.0", "line 7"],
        ["y", "x", "raised", "line 12"],
    ]
    assert desk.console() == [
        "tf.Tensor(27.0, shape=(), dtype=float32)",
        USED_UP,
    ]
    # The tape is consumed from the end of the first call to the end of the run.
    [*_, (tape, state, _, last)] = desk.lanes()
    assert (tape, state, last) == ("tape", "consumed", str(desk.last_step()))


def test_the_second_call_is_explained_in_the_articles_words(desk: Desk) -> None:
    desk.open()
    desk.run(article("cube_twice"))
    desk.page.locator("#tab-findings").click()
    expect(desk.finding().locator(".code-id")).to_have_text("TD101")
    expect(desk.finding()).to_contain_text("gradient tape already stopped")
    expect(desk.finding()).to_contain_text("on line 7")
    expect(desk.finding().locator(".says")).to_have_text(f"RuntimeError: {USED_UP}")


def test_a_new_tape_for_each_gradient(desk: Desk) -> None:
    desk.open()
    desk.run(article("two_tapes"))
    assert [row[2] for row in desk.gradients()] == ["27.0", "6.0"]
    expect(desk.page.locator("#findings-count")).to_have_text("0")


def test_a_function_that_takes_the_gradient_of_lambdas(desk: Desk) -> None:
    desk.open()
    desk.run(article("utility"))
    assert [row[2] for row in desk.gradients()] == ["27.0", "6.0"]
    assert desk.console() == [
        "tf.Tensor(27.0, shape=(), dtype=float32)",
        "tf.Tensor(6.0, shape=(), dtype=float32)",
    ]


def test_the_demo_script(desk: Desk) -> None:
    desk.open()
    desk.run(article("demo"))
    assert [row[:3] for row in desk.gradients()] == [["y", "x", "8.0"], ["loss", "weight", "-54.0"]]
    assert desk.console()[1:] == [
        "dy/dx at x=3.0: 8.00",
        "weight before: 2.00",
        "loss before: 81.00",
        "gradient for weight: -54.00",
        "weight after: 4.70",
        "loss after: 0.81",
        "gradient connected: True",
    ]
    expect(desk.page.locator("#notices")).to_contain_text("put right in the pasted text")


def test_the_demo_script_tells_who_watched(desk: Desk) -> None:
    desk.open()
    desk.run(article("demo"))
    watches = {"x": "asked by watch()", "weight": "by itself"}
    for name, how in watches.items():
        found = False
        desk.slider.focus()
        desk.page.keyboard.press("Home")
        while not found and desk.step() < desk.last_step():
            desk.page.keyboard.press("ArrowRight")
            sentence = desk.slider.get_attribute("aria-valuetext") or ""
            found = f"tape watches {name}" in sentence and how in sentence
        assert found, name


def test_two_sources_of_one_call(desk: Desk) -> None:
    desk.open()
    desk.run(article("basic"))
    assert [row[:3] for row in desk.gradients()] == [["c", "a", "2.0"], ["c", "b", "3.0"]]


def test_a_persistent_tape_and_the_reset_that_the_article_gets_wrong(desk: Desk) -> None:
    desk.open()
    desk.run(article("persistent"))
    assert [row[2] for row in desk.gradients()] == ["2.0", "3.0", "2.0", "3.0", "4.0", "6.0"]
    assert desk.console()[-1] == "ValueError: Tape is not recording."
    expect(desk.page.locator(".editor .mark.break")).to_have_text("tape.reset()")
    expect(desk.finding().locator("h2")).to_have_text("The block had already ended")


def test_a_training_loop_of_a_hundred_iterations(desk: Desk) -> None:
    desk.open()
    desk.run(article("training"))
    losses = desk.console()
    assert [line.split(":")[0] for line in losses] == [f"Step {i}" for i in range(0, 100, 10)]
    assert float(losses[0].rsplit(" ", 1)[1]) > float(losses[-1].rsplit(" ", 1)[1])
    # The cells: a hundred iterations and what stands before and after them.
    expect(desk.page.locator("#cells .cell:not(.rest)")).to_have_count(100)
    tapes = {row[0] for row in desk.lanes()}
    assert {f"tape {i}" for i in range(1, 41)} <= tapes


def test_an_iteration_of_the_loop_is_opened_by_its_cell(desk: Desk) -> None:
    desk.open()
    desk.run(article("training"))
    desk.page.locator("#cells .cell:not(.rest)").nth(41).click()
    expect(desk.page.locator("#sentence")).to_contain_text("iteration 42")
    expect(desk.page.locator("#lanes .lane-note").first).to_have_text("42")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("korean_ten", ["10.0"]),
        ("korean_twice", ["3.0", "raised"]),
        ("korean_two_tapes", ["3.0", "2.0"]),
        ("korean_persistent", ["3.0", "2.0"]),
    ],
)
def test_the_korean_article(desk: Desk, name: str, values: list[str]) -> None:
    desk.open()
    desk.run(article(name))
    assert [row[2] for row in desk.gradients()] == values
    expect(desk.page.locator("#notices")).to_contain_text("put right in the pasted text")
