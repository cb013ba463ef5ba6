"""Jacobians and small matrices in the inspector: for the eye, for the hand, for the ear."""

import re

import pytest
from playwright.sync_api import Locator, expect

from browsing import Desk

JACOBIAN = """import tensorflow as tf

x = tf.constant([1.0, -2.0, 3.0])
w = tf.Variable([[1.0, -1.0, 0.5], [0.0, 2.0, -0.25]])

with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = tf.linalg.matvec(w, x)

tape.jacobian(y, x)
tape.jacobian(y, w)
"""

BATCH = """import tensorflow as tf

a = tf.constant([[1.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
with tf.GradientTape() as tape:
    tape.watch(a)
    b = a * a
tape.batch_jacobian(b, a)
"""


@pytest.fixture
def opened(desk: Desk) -> Desk:
    desk.open()
    return desk


def call(desk: Desk, row: int) -> Locator:
    """Selects a call in the table of gradients; the section of its matrix."""
    desk.page.locator("#gradients tbody tr").nth(row).get_by_role("button").click()
    title = desk.page.get_by_role("heading", name=re.compile("^∂"))
    return desk.page.locator("#side-body section").filter(has=title)


def names(section: Locator) -> list[str | None]:
    """The cells, as they are read out."""
    return [cell.get_attribute("aria-label") for cell in section.get_by_role("gridcell").all()]


def numbers(section: Locator) -> list[list[str]]:
    """The numbers under the picture, row by row, with their heads."""
    rows = section.locator(".matrix").first.locator("tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_a_row_is_an_element_of_the_target_and_a_column_one_of_the_source(opened: Desk) -> None:
    opened.run(JACOBIAN)
    section = call(opened, 0)
    expect(section.get_by_role("heading")).to_contain_text("∂y / ∂x")
    expect(section).to_contain_text("A row is an element of y, a column an element of x.")
    assert names(section) == [
        "∂y[0] / ∂x[0] = 1.0",
        "∂y[0] / ∂x[1] = -1.0",
        "∂y[0] / ∂x[2] = 0.5",
        "∂y[1] / ∂x[0] = 0.0",
        "∂y[1] / ∂x[1] = 2.0",
        "∂y[1] / ∂x[2] = -0.25",
    ]
    assert numbers(section) == [
        ["", "0", "1", "2"],
        ["0", "1.0", "-1.0", "0.5"],
        ["1", "0.0", "2.0", "-0.25"],
    ]


def test_the_sign_is_a_shape_and_the_size_an_area(opened: Desk) -> None:
    opened.run(JACOBIAN)
    cells = call(opened, 0).get_by_role("gridcell")
    marks = [
        "positive" if cell.locator(".positive").count() else
        "negative" if cell.locator(".negative").count() else
        "zero" if cell.locator(".zero").count() else "?"
        for cell in cells.all()
    ]  # fmt: skip
    assert marks == ["positive", "negative", "positive", "zero", "positive", "negative"]
    widths = [
        float(cells.nth(i).locator(".positive").get_attribute("width") or 0) for i in (0, 2, 4)
    ]
    assert [round((width / widths[2]) ** 2, 2) for width in widths] == [0.5, 0.25, 1.0]


def test_pointing_and_the_arrow_keys_read_a_cell_out(opened: Desk) -> None:
    opened.run(JACOBIAN)
    section = call(opened, 0)
    told = section.locator(".told")
    expect(told).to_have_text("■ positive □ negative largest 2")
    cells = section.get_by_role("gridcell")
    cells.nth(5).hover()
    expect(told).to_have_text("∂y[1] / ∂x[2] = -0.25")
    step = opened.step()
    cells.first.focus()
    opened.page.keyboard.press("ArrowRight")
    opened.page.keyboard.press("ArrowDown")
    opened.page.keyboard.press("ArrowDown")
    expect(told).to_have_text("∂y[1] / ∂x[1] = 2.0")
    assert opened.step() == step
    assert section.locator("[tabindex='0'].cell").count() == 1


def test_a_source_of_more_axes_is_counted_through(opened: Desk) -> None:
    opened.run(JACOBIAN)
    section = call(opened, 1)
    expect(section.locator("h3")).to_contain_text("2×2×3")
    all_names = names(section)
    assert all_names[0] == "∂y[0] / ∂w[0, 0] = 1.0"
    assert all_names[11] == "∂y[1] / ∂w[1, 2] = 3.0"
    assert numbers(section)[0] == ["", "0, 0", "0, 1", "0, 2", "1, 0", "1, 1", "1, 2"]


def test_one_matrix_an_example_of_a_batch(opened: Desk) -> None:
    opened.run(BATCH)
    section = call(opened, 0)
    assert section.get_by_role("grid").count() == 3
    assert names(section)[4:8] == [
        "∂b[1, 0] / ∂a[1, 0] = 6.0",
        "∂b[1, 0] / ∂a[1, 1] = 0.0",
        "∂b[1, 1] / ∂a[1, 0] = 0.0",
        "∂b[1, 1] / ∂a[1, 1] = 8.0",
    ]
    expect(section.locator(".told").first).to_contain_text("largest 8")


def test_what_was_vectorised_opens(opened: Desk) -> None:
    opened.run(JACOBIAN)
    call(opened, 0)
    section = opened.page.locator("#side-body section").filter(
        has=opened.page.get_by_role("heading", name="Vectorised")
    )
    section.get_by_role("button", name="Open in the graph").click()
    frame = opened.page.locator("#graph .frame .type")
    expect(frame).to_have_text(re.compile("traced graph that rewinds, symbolic"))


def test_any_small_matrix_is_drawn(opened: Desk) -> None:
    opened.run(JACOBIAN)
    opened.page.locator("#graph [aria-label^='variable w']").first.press("Enter")
    grid = opened.page.locator("#side-body").get_by_role("grid").first
    expect(grid).to_have_attribute("aria-label", "Matrix, 2 rows, 3 columns")
    assert grid.get_by_role("gridcell").nth(1).get_attribute("aria-label") == "[0, 1] = -1.0"


class TestInForcedColours:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"forced_colors": "active"}

    def test_the_shapes_remain(self, opened: Desk) -> None:
        opened.run(JACOBIAN)
        section = call(opened, 0)
        paint = "node => [getComputedStyle(node).fill, getComputedStyle(node).stroke]"
        positive = section.locator(".positive").first.evaluate(paint)
        negative = section.locator(".negative").first.evaluate(paint)
        assert positive[0] != "none"
        assert negative[0] == "none"
        assert negative[1] not in ("none", "")
