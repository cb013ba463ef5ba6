"""Traced functions in a real Chromium: opened on the page, told on the deck and in the console."""

import re

import pytest
from playwright.sync_api import Locator, expect

from browsing import Desk

TRACED = """import tensorflow as tf

w = tf.Variable(1.0)

@tf.function
def dense(x):
    print("tracing dense")
    return x * w * 2.0

x = tf.constant([3.0])
with tf.GradientTape() as tape:
    y = dense(x)
    loss = tf.reduce_sum(y * y)
print(tape.gradient(loss, w).numpy())
z = dense(tf.constant([4.0]))
v = dense(tf.constant([1.0, 2.0]))
"""

BRANCHES = """import tensorflow as tf

w = tf.Variable(2.0)

@tf.function
def f(x, n):
    if tf.reduce_sum(x) > 0.0:
        x = x * w
    else:
        x = -x
    for i in tf.range(n):
        x = x + tf.sin(x)
    return x

with tf.GradientTape() as tape:
    y = w * w
a = f(tf.constant([1.0, 2.0]), 2)
"""

SYMBOLIC = """import tensorflow as tf

w = tf.Variable([2.0, 3.0])

@tf.function
def step(x):
    with tf.GradientTape() as inner:
        loss = w * x * x
    return inner.gradient(loss, w)

print(step(tf.constant(5.0)).numpy())
"""


class Functions:
    """The graph, the deck and the inspector, as one sees them."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.graph = desk.page.locator("#graph")
        self.side = desk.page.locator("#side-body")

    def run(self, source: str) -> None:
        """Runs a snippet and waits until it is drawn."""
        self.desk.run(source)
        self.settle()

    def settle(self) -> None:
        """Waits until what is to be shown is laid out and drawn."""
        expect(self.graph).not_to_have_attribute("aria-busy", "true")

    def node(self, text: str) -> Locator:
        """The first node whose accessible name begins with this."""
        return self.graph.get_by_role("button", name=re.compile("^" + re.escape(text))).first

    def press(self, button: str) -> None:
        """Presses a button of the graph by its name, and waits for the new layout."""
        self.graph.get_by_role("button", name=button, exact=True).first.press("Enter")
        self.settle()

    def select(self, text: str) -> None:
        """Selects a node, so that the inspector shows it."""
        self.node(text).press("Enter")

    def texts(self, selector: str) -> list[str]:
        """The texts of all that matches in the graph."""
        return self.graph.locator(selector).all_text_contents()

    def section(self, title: str) -> Locator:
        """A section of the inspector."""
        return self.side.locator("section").filter(
            has=self.desk.page.get_by_role("heading", name=title, exact=True)
        )

    def sentences(self) -> list[str]:
        """What the deck says, step by step."""
        self.desk.slider.focus()
        self.desk.page.keyboard.press("Home")
        told = []
        while self.desk.step() < self.desk.last_step():
            self.desk.page.keyboard.press("ArrowRight")
            told.append(self.desk.slider.get_attribute("aria-valuetext") or "")
        return told


@pytest.fixture
def functions(desk: Desk) -> Functions:
    desk.open()
    return Functions(desk)


def test_a_call_says_what_had_to_be_traced_for_it(functions: Functions) -> None:
    functions.run(TRACED)
    labels = [
        node.get_attribute("aria-label")
        for node in functions.graph.get_by_role("button", name=re.compile("^dense, ")).all()
    ]
    assert labels == [
        (
            "dense, dense(x), tf.function, first trace, line 12, value [6.0],"
            " gradient [6] + [6] = [12], tape consumed"
        ),
        (
            "dense, dense(tf.constant([4.0])), tf.function, cached call, line 15, value [8.0],"
            " tape not recorded, ran after the block"
        ),
        (
            "dense, dense(tf.constant([1.0, 2.0])), tf.function, traced again, line 16,"
            " value [2.0, 4.0], tape not recorded, ran after the block"
        ),
    ]


def test_the_deck_tells_traces_and_what_happens_meanwhile(functions: Functions) -> None:
    functions.run(TRACED)
    told = [sentence for sentence in functions.sentences() if "trace" in sentence.lower()]
    assert told == [
        "dense is traced for the first time · line 12",
        "Printed: tracing dense · line 7 · while dense is traced",
        "tape watches w by itself: a variable read in the block · line 8 · while dense is traced",
        "Trace of dense finished · line 12",
        "dense is traced again: x: (1,) → (2,) · line 16",
        "Printed: tracing dense · line 7 · while dense is traced",
        "Trace of dense finished · line 16",
    ]
    ruler = functions.desk.page.locator("#slider")
    assert ruler.locator(".tick.trace").count() > 0
    assert ruler.locator(".tick.traced").count() > 0
    expect(functions.desk.page.locator("#legend")).to_contain_text("trace")


def test_the_console_marks_what_was_written_at_trace_time(functions: Functions) -> None:
    functions.run(TRACED)
    functions.desk.page.keyboard.press("End")
    assert functions.desk.console() == ["tracing dense", "72.0", "tracing dense"]
    lines = functions.desk.page.locator("#console .out")
    marks = [line.locator(".traced").all_inner_texts() for line in lines.all()]
    assert marks == [["trace time"], [], ["trace time"]]


def test_a_function_opens_into_its_graph_and_folds_again(functions: Functions) -> None:
    functions.run(TRACED)
    functions.press("Unfold dense")
    assert functions.texts(".frame .type") == ["densetraced graph, symbolic"]
    assert functions.texts(".capsule.argument text") == ["x", "(1,)", "argument"]
    assert functions.texts(".capsule.symbolic text") == ["w", "()", "captured"]
    assert functions.texts(".node.symbolic .value") == ["(1,)", "(1,)"]
    assert functions.texts(".node.symbolic .gradient") == ["", ""]
    expect(functions.node("Mul, return x * w * 2.0")).to_have_attribute(
        "aria-label", "Mul, return x * w * 2.0, line 8, value (1,)"
    )
    functions.press("Fold dense")
    assert functions.texts(".frame .type") == []


def test_an_op_of_a_graph_in_the_inspector(functions: Functions) -> None:
    functions.run(TRACED)
    functions.press("Unfold dense")
    functions.select("Mul, return x * w * 2.0")
    expect(functions.side.locator(".heading")).to_contain_text("in a traced graph · line 8")
    expect(functions.section("Value")).to_contain_text("(1,)float32, (1,)")
    expect(functions.section("Inputs")).to_contain_text("w, Variable")
    functions.section("Symbolic").get_by_role("button", name="dense").click()
    expect(functions.side.locator(".heading")).to_contain_text("op 0 · line 12")


def test_the_inspector_tells_the_trace_and_opens_the_graph_that_rewinds(
    functions: Functions,
) -> None:
    functions.run(TRACED)
    functions.select("dense, dense(tf.constant([1.0, 2.0]))")
    expect(functions.section("Trace")).to_contain_text("no graph was there for these arguments")
    expect(functions.section("Trace")).to_contain_text("x: (1,) → (2,)")
    functions.select("dense, dense(tf.constant([4.0]))")
    expect(functions.section("Trace")).to_contain_text("the function's Python did not")
    functions.select("dense, dense(x)")
    backward = functions.section("The graph that rewinds it")
    expect(backward).to_contain_text("gradient(loss, w)")
    backward.get_by_role("button", name="Open in the graph").click()
    functions.settle()
    expect(functions.graph.locator(".frame .type")).to_have_text(
        ["densetraced graph that rewinds, symbolic"]
    )
    assert functions.texts(".capsule.argument .name")[0] == "∂y"
    backward.get_by_role("button", name="Fold").click()
    expect(functions.graph.locator(".frame .type")).to_have_text([])


def test_branches_and_loops_open_further(functions: Functions) -> None:
    functions.run(BRANCHES)
    functions.press("Unfold f")
    expect(functions.node("If, ")).to_have_attribute(
        "aria-label", "If, if tf.reduce_sum(x) > 0.0:, 2 branches, line 7, value (2,)"
    )
    functions.press("Unfold If")
    functions.press("Unfold StatelessWhile")
    titles = [re.sub(r"line \d+|traced.*", "", text) for text in functions.texts(".frame .type")]
    assert titles == ["f", "If", "then", "else", "StatelessWhile", "condition", "body"]
    places = [
        functions.graph.locator(".frame").nth(i).locator("> .box").bounding_box() for i in (2, 3)
    ]
    then, other = places
    assert then is not None
    assert other is not None
    assert then["x"] + then["width"] < other["x"] or other["x"] + other["width"] < then["x"]
    functions.press("Fold then")
    expect(functions.node("then, ")).to_be_visible()


def test_a_tape_inside_a_function_is_symbolic(functions: Functions) -> None:
    functions.run(SYMBOLIC)
    expect(functions.desk.page.locator(".lane-label")).to_have_text(["innersymbolic"])
    assert functions.desk.lanes()[0] == ["inner symbolic", "created", "3", "3"]
    assert functions.desk.gradients() == [["loss", "w", "(2,)", "line 9"]]
    assert "gradient(loss, w) gives (2,) · line 9 · while step is traced" in functions.sentences()
    functions.desk.page.locator(".lane-label").click()
    expect(functions.side.locator(".heading")).to_contain_text("GradientTape symbolic")
    expect(functions.section("Symbolic")).to_contain_text("shapes and no values")


class TestInKorean:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"locale": "ko-KR"}

    def test_traces_in_korean(self, functions: Functions) -> None:
        functions.run(TRACED)
        told = [sentence for sentence in functions.sentences() if "트레이스" in sentence]
        assert told[0] == "dense 첫 트레이스 시작 · 12행"
        assert told[4] == "dense 다시 트레이스: x: (1,) → (2,) · 16행"
        expect(functions.desk.page.locator("#console .traced").first).to_have_text("트레이스 중")
