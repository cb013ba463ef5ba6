"""The drawn graph in a real Chromium: what stands on nodes, edges and bands at exact steps."""

import re

import pytest
from playwright.sync_api import Locator, expect

from browsing import Desk

TWO_PATHS = """import tensorflow as tf

x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x * x + 2 * x

print(tape.gradient(y, x))
"""

OUTSIDE = """import tensorflow as tf

w = tf.Variable(2.0)
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    y = w * x

loss = (y - 1.0) ** 2

print(tape.gradient(loss, w))
"""

TWO_CALLS = """import tensorflow as tf

x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x ** 2
    z = x ** 3

print(tape.gradient(y, x))
print(tape.gradient(z, x))
"""

LOOP = """import tensorflow as tf

def model(x):
    return w * x + b

w = tf.Variable(0.5)
b = tf.Variable(0.0)

for i in range(5):
    with tf.GradientTape() as tape:
        loss = tf.square(model(2.0) - 3.0)
    gw, gb = tape.gradient(loss, [w, b])
    w.assign_sub(0.1 * gw)
    b.assign_sub(0.1 * gb)
"""

LONG = (
    """import tensorflow as tf

x = tf.Variable(1.0)

with tf.GradientTape() as tape:
    y = x * 1.0
"""
    + "    y = y + 0.001\n" * 150
    + "print(tape.gradient(y, x))\n"
)


class Graph:
    """The graph's panel, as one sees it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.root = desk.page.locator("#graph")

    def node(self, text: str) -> Locator:
        """The op or folded group whose accessible name begins with this."""
        return self.root.get_by_role("button", name=re.compile("^" + re.escape(text)))

    def texts(self, selector: str) -> list[str]:
        """The texts of all that matches, in the order they are drawn."""
        return self.root.locator(selector).all_text_contents()

    def pills(self) -> list[str]:
        """The numbers on the edges."""
        return sorted(self.texts(".pill:not(.empty) text"))

    def go_to(self, *wanted: str) -> None:
        """Steps forward from the beginning to the first step whose sentence holds all of this."""
        slider, keyboard = self.desk.slider, self.desk.page.keyboard
        slider.focus()
        keyboard.press("Home")
        while self.desk.step() < self.desk.last_step():
            keyboard.press("ArrowRight")
            sentence = slider.get_attribute("aria-valuetext") or ""
            if all(text in sentence for text in wanted):
                return
        raise AssertionError(wanted)


@pytest.fixture
def graph(desk: Desk) -> Graph:
    desk.open()
    return Graph(desk)


def settled(graph: Graph) -> None:
    """Waits until what is to be shown is laid out and drawn."""
    expect(graph.root).not_to_have_attribute("aria-busy", "true")
    expect(graph.root.locator(".node").first).to_be_visible()


def run(graph: Graph, source: str) -> None:
    graph.desk.run(source)
    settled(graph)


def test_forwards(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    graph.go_to("Mul recorded: 3.0 * 3.0 = 9.0")
    expect(graph.node("Mul, x * x")).to_have_attribute(
        "aria-label", "Mul, x * x, line 6, value 9.0, tape recording"
    )
    expect(graph.node("Mul, x * x")).to_have_class("node recording now")
    expect(graph.node("AddV2")).to_have_attribute(
        "aria-label", "AddV2, x * x + 2 * x, line 6, not reached"
    )
    assert graph.texts(".capsule .second") == ["watched", "watched"]
    assert graph.texts(".band-label text") == ["tape recording"]
    assert graph.pills() == []
    assert graph.root.locator(".edge.hot").count() == 2


def test_backwards(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    graph.go_to("Mul rewound", "sends on 3 and 3")
    expect(graph.node("Mul, x * x")).to_have_attribute(
        "aria-label", "Mul, x * x, line 6, value 9.0, gradient 1, tape rewinding"
    )
    assert graph.pills() == ["1", "1", "3", "3", "seed 1"]
    assert sorted(graph.texts(".pill.back-hot text")) == ["3", "3"]
    assert graph.texts(".capsule .second") == ["3 + 3", "waits for 2 * x"]
    graph.go_to("Sum for x")
    assert graph.texts(".capsule .second") == ["3 + 3 + 2 = 8", "3 + 3 + 2 = 8"]


def test_after_the_call(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    graph.desk.page.keyboard.press("End")
    assert graph.texts(".badge text") == ["tapeconsumed"] * 3
    assert graph.texts(".band-label text") == ["tape consumed"]
    assert graph.texts(".node .gradient") == ["∂ 1", "∂ 1", "∂ 1"]


def test_nothing_moves_while_it_plays(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    keyboard = graph.desk.page.keyboard

    def places() -> list[str | None]:
        groups = graph.root.locator(".nodes > g")
        return [groups.nth(i).get_attribute("transform") for i in range(groups.count())]

    graph.desk.go_to(-1)
    before = places()
    assert len(before) == 7
    while graph.desk.step() < graph.desk.last_step():
        keyboard.press("ArrowRight")
        assert places() == before


def test_not_recorded_says_why_and_the_path_breaks_there(graph: Graph) -> None:
    run(graph, OUTSIDE)
    expect(graph.node("Sub, y - 1.0")).to_have_class(re.compile(r"^node ghost"))
    expect(graph.node("Sub, y - 1.0")).to_have_attribute(
        "aria-label",
        "Sub, y - 1.0, line 9, value 5.0, tape not recorded, ran after the block",
    )
    assert graph.root.locator(".edge.cut").count() == 1
    assert graph.texts(".cut-label text") == [
        "The path ends here",
        "y is on the tape; line 9 ran after the block",
    ]


def test_a_call_that_raises_breaks_at_its_target(graph: Graph) -> None:
    run(graph, TWO_CALLS)
    graph.desk.page.keyboard.press("End")
    assert graph.texts(".cut-label text") == [
        "gradient(z, x), line 10: RuntimeError",
        "nothing left on the tape to rewind",
    ]
    # What the first call gave stays in sight.
    assert graph.pills() == ["6", "seed 1"]
    assert graph.texts(".capsule .second") == ["∂ 6", "watched"]


def test_selecting(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    graph.node("Mul, 2 * x").click()
    expect(graph.node("Mul, 2 * x")).to_have_attribute("aria-pressed", "true")
    expect(graph.desk.page.locator("#side-body")).to_contain_text("2 * x")
    graph.root.locator(".capsule").first.click()
    assert graph.root.locator(".capsule.selected").count() == 2
    graph.desk.page.keyboard.press("Escape")
    assert graph.root.locator(".selected").count() == 0


def test_nodes_take_the_focus_in_the_order_they_ran(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    page = graph.desk.page
    graph.root.locator(".nodes > g").first.focus()
    labels = []
    for _ in range(7):
        labels.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        page.keyboard.press("Tab")
    starts = [label.split(",")[0] for label in labels]
    assert starts == ["variable x", "Mul", "constant 2.0", "variable x", "Mul", "AddV2", "target y"]
    graph.node("AddV2").focus()
    page.keyboard.press("Enter")
    expect(graph.node("AddV2")).to_have_attribute("aria-pressed", "true")


def test_a_loop_is_stepped_through_iteration_by_iteration(graph: Graph) -> None:
    run(graph, LOOP)
    stepper = graph.root.locator(".stepper text")
    graph.desk.go_to(-1)
    expect(stepper).to_have_text("iteration 1 of 5")
    graph.go_to("Square recorded")
    first = graph.node("Square").get_attribute("aria-label")
    graph.root.get_by_role("button", name="Next iteration").click()
    expect(stepper).to_have_text("iteration 2 of 5")
    expect(graph.node("Square")).not_to_have_attribute("aria-label", first or "")
    expect(graph.node("Square")).to_have_class(re.compile("now"))
    graph.desk.page.keyboard.press("End")
    expect(stepper).to_have_text("iteration 5 of 5")


def test_folding(graph: Graph) -> None:
    run(graph, LOOP)
    expect(graph.node("AddV2")).to_be_visible()
    graph.root.get_by_role("button", name="Fold model").press("Enter")
    expect(graph.node("AddV2")).to_have_count(0)
    expect(graph.node("model, function call, folded, 2 ops")).to_be_visible()
    graph.root.get_by_role("button", name="Unfold model").click()
    expect(graph.node("AddV2")).to_be_visible()


def test_a_training_loop_folds_into_one_node(graph: Graph) -> None:
    run(graph, LOOP.replace("range(5)", "range(100)"))
    graph.root.get_by_role("button", name="Fold for i in range(100)").press("Enter")
    fold = graph.root.get_by_role("button", name="Unfold for i in range(100)")
    expect(fold).to_be_focused()
    expect(graph.root.locator(".nodes > .node")).to_have_count(1)
    # Of the last call alone, however many there were.
    assert graph.texts(".capsule .name") == ["w", "b"]
    assert [text[:2] for text in graph.texts(".capsule .second")] == ["∂ ", "∂ "]
    assert graph.root.locator("g.target, .band").count() == 0
    assert "100 iterations" in (graph.node("for i").get_attribute("aria-label") or "")
    graph.desk.page.locator("#zoom-fit").click()
    level = graph.desk.page.locator("#zoom-level").inner_text()
    assert int(level.rstrip("%")) >= 60
    fold.press("Enter")
    expect(graph.root.get_by_role("button", name="Fold for i in range(100)")).to_be_focused()


def test_page_keys_step_through_the_iterations(graph: Graph) -> None:
    run(graph, LOOP)
    page = graph.desk.page
    sentence = page.locator("#sentence")
    expect(sentence).to_contain_text("b set to")
    expect(sentence).to_contain_text("iteration 5")
    graph.desk.slider.focus()
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(sentence).to_contain_text("b set to")
    expect(sentence).to_contain_text("iteration 3")
    expect(graph.root.locator(".stepper text")).to_have_text("iteration 3 of 5")
    expect(page.locator(".cm-line", has_text="for i in range").locator(".hint")).to_have_attribute(
        "data-text", "3/5"
    )


def test_a_value_that_went_through_python_is_torn_from_its_constant(graph: Graph) -> None:
    run(
        graph,
        """import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    h = x * 2.0
    y = tf.constant(h.numpy()) * 4.0
print(tape.gradient(y, x))
""",
    )
    cut = graph.root.locator(".edge.cut")
    expect(cut).to_have_count(1)
    order = graph.texts(".node .type, .constant .value")
    start, end = (cut.get_attribute("data-edge") or "").split("-")
    assert graph.root.locator(f"[data-node='{start}'] .type").text_content() == "Mulx * 2.0"
    assert graph.root.locator(f"[data-node='{end}'] .value").text_content() == "6.0", order


def test_ops_that_no_tape_took_say_why(graph: Graph) -> None:
    run(
        graph,
        """import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.stop_gradient(x * x)
    try:
        tf.matmul(x, x)
    except Exception:
        pass
""",
    )
    badges = graph.texts(".badge text")
    assert "tapenot recorded, stop_gradient" in badges
    assert "tapenot recorded, it raised" in badges


def test_bookkeeping_and_direction(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    page = graph.desk.page
    assert graph.node("ReadVariableOp").count() == 0
    page.locator("#bookkeeping").click()
    expect(graph.node("ReadVariableOp")).to_have_count(3)
    page.locator("#bookkeeping").click()
    page.locator("#direction").click()
    settled(graph)
    expect(graph.node("ReadVariableOp")).to_have_count(0)
    mul, add = (graph.node(name).bounding_box() for name in ("Mul, x * x", "AddV2"))
    assert mul and add and mul["x"] + mul["width"] < add["x"]


def test_zoom_pan_and_fit(graph: Graph) -> None:
    run(graph, TWO_PATHS)
    page = graph.desk.page
    level = page.locator("#zoom-level")
    before = level.inner_text()
    page.locator("#zoom-in").click()
    expect(level).not_to_have_text(before)
    box = graph.node("AddV2").bounding_box()
    surface = graph.root.locator(".surface").bounding_box()
    assert box and surface
    page.mouse.move(surface["x"] + 20, surface["y"] + 20)
    page.mouse.down()
    page.mouse.move(surface["x"] + 90, surface["y"] + 60, steps=4)
    page.mouse.up()
    moved = graph.node("AddV2").bounding_box()
    assert moved and round(moved["x"] - box["x"]) == 70 and round(moved["y"] - box["y"]) == 40
    page.locator("#zoom-fit").click()
    expect(level).to_have_text(before)
    graph.node("AddV2").focus()
    page.keyboard.press("-")
    expect(level).not_to_have_text(before)


def test_a_long_graph_draws_what_is_in_view_and_follows_the_step(graph: Graph) -> None:
    run(graph, LONG)
    page = graph.desk.page
    graph.desk.slider.focus()
    page.keyboard.press("Home")
    drawn = graph.root.locator(".nodes > g")
    assert 0 < drawn.count() < 60
    expect(graph.root.locator(".minimap")).to_be_visible()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    expect(graph.root.locator(".node.now")).to_be_in_viewport()
    page.locator("#zoom-fit").click()
    expect(graph.root.locator(".far .boxes")).to_be_visible()
    expect(graph.root.locator("g.nodes")).to_be_hidden()


class TestKorean:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"locale": "ko-KR"}

    def test_the_words_are_korean(self, graph: Graph) -> None:
        run(graph, OUTSIDE)
        assert graph.texts(".cut-label text")[0] == "경로가 여기서 끝납니다"
        label = graph.node("Sub").get_attribute("aria-label") or ""
        assert "기록 안 됨, 블록 뒤에서 실행" in label


class TestForcedColours:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"forced_colors": "active", "reduced_motion": "reduce"}

    def test_dashes_icons_and_words_remain(self, graph: Graph) -> None:
        run(graph, OUTSIDE)
        box = graph.node("Sub").locator(".box")
        assert box.evaluate("box => getComputedStyle(box).strokeDasharray") == "5px, 4px"
        assert "tapenot recorded, ran after the block" in graph.texts(".badge text")


class TestMotion:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"reduced_motion": "reduce"}

    def test_nothing_moves_where_that_is_asked_for(self, graph: Graph) -> None:
        run(graph, TWO_PATHS)
        graph.go_to("Mul rewound", "sends on 3 and 3")
        line = graph.root.locator(".edge.back-hot .line").first
        assert line.evaluate("line => getComputedStyle(line).animationName") == "none"
