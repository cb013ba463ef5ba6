"""Numbers and shapes as the page writes them."""

import pytest
from playwright.sync_api import Page

from browsing import Desk


@pytest.fixture
def page(desk: Desk) -> Page:
    """The page, whose modules a test may call."""
    desk.page.goto(desk.url)
    return desk.page


def call(page: Page, module: str, function: str, *arguments: object) -> object:
    """What an exported function of one of the page's modules returns."""
    result: object = page.evaluate(
        "async ([module, name, args]) => (await import(`/static/js/${module}.js`))[name](...args)",
        [module, function, list(arguments)],
    )
    return result


def test_elements_have_tensorflows_digits(page: Page) -> None:
    for number, dtype, text in [
        (6.0, "float32", "6.0"),
        (6, "int32", "6"),
        (0.10000000149011612, "float32", "0.1"),
        (0.6201211214065552, "float32", "0.6201211"),
        (0.6201211214065552, "float64", "0.6201211214065552"),
        (0.333251953125, "float16", "0.3333"),
        (3.140625, "bfloat16", "3.14"),
        (1e-7, "float64", "1e-07"),
        (1e16, "float64", "1e+16"),
        (123456.0, "float32", "123456.0"),
        ("nan", "float32", "nan"),
        (True, "bool", "True"),
    ]:
        assert call(page, "format", "scalarText", number, dtype) == text


def test_minus_zero_is_told_apart_in_values_only(page: Page) -> None:
    # Playwright sends -0.0 as 0: it has to be written on the other side.
    module = "(await import('/static/js/format.js'))"
    assert page.evaluate(f"async () => {module}.scalarText(-0, 'float32')") == "-0.0"
    assert page.evaluate(f"async () => {module}.gradientNumber(-0)") == "0"


def test_values_keep_their_point_and_four_digits(page: Page) -> None:
    for number, text in [(6.0, "6.0"), (0.56081, "0.5608"), (81.0, "81.0"), (1234.56, "1234.6")]:
        assert call(page, "format", "shortText", number, "float32") == text


def test_gradients_are_trimmed(page: Page) -> None:
    for number, text in [
        (3.0, "3"),
        (0.36402, "0.364"),
        (-54.0, "-54"),
        (12345.6, "12345.6"),
        (0.00001234567, "1.235e-05"),
        ("inf", "inf"),
    ]:
        assert call(page, "format", "gradientNumber", number) == text


def test_larger_tensors_have_shape_and_norm(page: Page) -> None:
    small = {"dtype": "float32", "shape": [2], "value": {"data": [3.0, 4.0]}}
    large = {"dtype": "float32", "shape": [64, 16], "value": {"mean": 0.478, "l2": 0.36402}}
    assert call(page, "format", "valueText", small) == "[3.0, 4.0]"
    assert call(page, "format", "gradientText", small) == "[3, 4]"
    assert call(page, "format", "tableText", small) == "[3.0, 4.0]"
    assert call(page, "format", "valueText", large) == "mean 0.478"
    assert call(page, "format", "gradientText", large) == "64×16, l2 0.364"


def test_a_vector_beside_its_line_is_whole_or_shortened(page: Page) -> None:
    def held(shape: list[int], data: object) -> dict[str, object]:
        return {"dtype": "float32", "shape": shape, "value": {"data": data}}

    for shape, data, text in [
        ([3], [0.1, 0.2, 0.3], "[0.1, 0.2, 0.3]"),
        ([6], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "[1.0, 2.0, 3.0, …]"),
        ([2, 2], [[1.0, 2.0], [3.0, 4.0]], "[[1.0, 2.0], [3.0, 4.0]]"),
        ([3, 2], [[1.0, 2.0]] * 3, "3×2"),
    ]:
        assert call(page, "format", "listText", held(shape, data)) == text
    unknown = {"dtype": "float32", "shape": [1000], "value": {"mean": 0.5}}
    assert call(page, "format", "listText", unknown) == "(1000,)"


def test_what_is_not_finite_is_named(page: Page) -> None:
    def told(data: list[object]) -> object:
        return call(page, "format", "notFinite", {"value": {"data": data}})

    assert [told([1.0, 2.0]), told(["nan", 1.0]), told(["inf", "nan"])] == ["", "nan", "nan, inf"]
    assert call(page, "format", "notFinite", {"value": {"nan": 0, "inf": 3}}) == "inf"


def test_a_view_survives_the_address(page: Page) -> None:
    view = {
        "source": "x = '😀\u00a0<b>'\r\n# 그래디언트",
        "mode": "expressions",
        "seed": 4294967295,
        "step": -1,
        "selection": {"kind": "variable", "id": 3},
        "direction": "right",
        "bookkeeping": True,
        "open": [4, -8],
        "closed": [2],
    }
    fragment = call(page, "fragment", "encodeView", view)
    assert isinstance(fragment, str)
    assert fragment.replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert call(page, "fragment", "decodeView", "#" + fragment) == view
    for damaged in ("", "2.abc", fragment[:-4], "1.%%%", "1." + "A" * 5000):
        assert call(page, "fragment", "decodeView", damaged) is None
