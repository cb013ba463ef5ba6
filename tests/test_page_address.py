"""The address's fragment restores a view; language and theme follow the browser."""

import pytest
from playwright.sync_api import expect

from browsing import Desk

SNIPPET = (
    "x = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    y = x ** 3\ntape.gradient(y, x)\n"
)


def settle(desk: Desk) -> str:
    """The fragment once the page has written it."""
    desk.page.wait_for_timeout(600)
    return "#" + desk.page.url.partition("#")[2]


def test_the_address_restores_snippet_step_and_selection(desk: Desk) -> None:
    desk.open()
    desk.page.get_by_role("button", name="script", exact=True).click()
    desk.page.locator("#seed").fill("7")
    desk.run(SNIPPET)
    desk.page.locator("#tab-inspector").click()
    desk.page.locator("#gradients").get_by_role("button", name="line 4").click()
    desk.go_to(5)
    fragment = settle(desk)
    sentence = desk.slider.get_attribute("aria-valuetext")
    heading = desk.page.locator("#side-body .head").inner_text()

    desk.open(fragment)
    assert desk.step() == 5
    assert desk.slider.get_attribute("aria-valuetext") == sentence
    assert desk.page.locator("#side-body .head").inner_text() == heading
    assert heading.startswith("gradient(y, x)")
    expect(desk.page.locator(".cm-content")).to_contain_text("y = x ** 3")
    expect(desk.page.locator("#seed")).to_have_value("7")
    expect(desk.page.locator("#modes [data-mode='script']")).to_have_attribute(
        "aria-pressed", "true"
    )
    assert settle(desk) == fragment


def test_a_damaged_address_says_so_and_opens_the_example(desk: Desk) -> None:
    desk.open("#1.q1YqUbJSKlGyUlAqzy")
    expect(desk.page.locator("#notices")).to_contain_text("incomplete or damaged")


def test_a_snippet_that_is_too_long_for_an_address_says_so(desk: Desk) -> None:
    desk.open()
    # Digits of a generator do not compress.
    numbers = ", ".join(str((i * 7919 * 104729) % 1_000_003) for i in range(6000))
    desk.run(f"import tensorflow as tf\nx = tf.constant([{numbers}])\n")
    desk.page.locator("#copy").click()
    expect(desk.page.locator("#copy")).to_have_text("Too long for a link")
    assert "#" not in settle(desk).replace("#", "", 1)


def test_copy_link_puts_the_address_on_the_clipboard(desk: Desk) -> None:
    desk.open()
    desk.page.locator("#copy").click()
    expect(desk.page.locator("#copy")).to_have_text("Link copied")
    assert desk.page.evaluate("navigator.clipboard.readText()") == desk.page.url


class TestInKorean:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"locale": "ko-KR"}

    def test_the_page_follows_the_browser(self, desk: Desk) -> None:
        desk.open()
        expect(desk.page.locator("html")).to_have_attribute("lang", "ko")
        expect(desk.page.locator("#run-word")).to_have_text("실행")
        expect(desk.page.locator("#gradients-title")).to_have_text("그래디언트")
        desk.run(SNIPPET)
        desk.go_to(desk.last_step())
        expect(desk.page.locator(".lamp")).to_have_text("소진됨")

    def test_the_language_can_be_switched_and_stays(self, desk: Desk) -> None:
        desk.open()
        desk.page.get_by_role("button", name="English").click()
        expect(desk.page.locator("#run-word")).to_have_text("Run")
        desk.open()
        expect(desk.page.locator("#run-word")).to_have_text("Run")


def test_the_catalogues_have_the_same_phrases(desk: Desk) -> None:
    desk.open()
    missing = desk.page.evaluate(
        """async () => {
          const missing = [];
          for (const prefix of ["", "steps-", "graph-"]) {
            const load = (lang) => import(`/static/js/words/${prefix}${lang}.js`);
            const [en, ko] = (await Promise.all([load("en"), load("ko")])).map((m) => Object.values(m)[0]);
            missing.push(...Object.keys(en).filter((key) => !(key in ko)));
            missing.push(...Object.keys(ko).filter((key) => !(key in en)));
          }
          return missing;
        }"""
    )
    assert missing == []


def test_the_theme_is_switched_and_stays(desk: Desk) -> None:
    desk.open()
    theme = desk.page.locator("#theme")
    expect(theme).to_have_attribute("aria-label", "Theme: as the system")
    theme.click()
    theme.click()
    expect(desk.page.locator("html")).to_have_attribute("data-theme", "dark")
    background = "getComputedStyle(document.querySelector('.side')).backgroundColor"
    assert desk.page.evaluate(background) == "rgb(25, 29, 30)"
    desk.open()
    expect(desk.page.locator("html")).to_have_attribute("data-theme", "dark")
