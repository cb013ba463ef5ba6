"""The page on a phone, on a tablet, with forced colours and without motion."""

import pytest
from playwright.sync_api import expect

from browsing import Desk

OVERFLOW = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class TestOnAPhone:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True}

    def test_one_panel_at_a_time(self, desk: Desk) -> None:
        desk.open()
        panels = {
            "Code": ".snippet",
            "Graph": ".graph",
            "Inspector": ".side",
            "Gradients": ".gradients",
            "Console": ".console",
        }
        for tab, panel in panels.items():
            desk.page.get_by_role("tab", name=tab, exact=True).first.click()
            for other in panels.values():
                expect(desk.page.locator(other).first).to_be_visible(visible=other == panel)
        assert not desk.page.evaluate(OVERFLOW)

    def test_the_keys_are_48_pixels_high(self, desk: Desk) -> None:
        desk.open()
        for key in desk.page.locator(".piano button").all():
            box = key.bounding_box()
            assert box is not None and box["height"] >= 48

    def test_the_end_of_playing_opens_the_gradients(self, desk: Desk) -> None:
        desk.open()
        desk.page.get_by_role("button", name="4×").click()
        desk.page.get_by_role("button", name="Play", exact=True).click()
        expect(desk.page.locator("#gradients")).to_be_visible(timeout=20_000)
        expect(desk.page.get_by_role("tab", name="Gradients")).to_have_attribute(
            "aria-selected", "true"
        )


class TestOnATablet:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"viewport": {"width": 900, "height": 1000}}

    def test_the_inspector_is_a_drawer(self, desk: Desk) -> None:
        desk.open()
        side = desk.page.locator("#side")
        expect(side).not_to_be_visible()
        desk.page.locator("#drawer-open").click()
        expect(side).to_be_visible()
        desk.page.keyboard.press("Escape")
        expect(side).not_to_be_visible()
        assert not desk.page.evaluate(OVERFLOW)


class TestWithoutMotion:
    @pytest.fixture
    def browser_options(self) -> dict[str, object]:
        return {"reduced_motion": "reduce"}

    def test_nothing_moves_by_itself(self, desk: Desk) -> None:
        desk.open()
        desk.page.keyboard.press("Home")
        desk.page.get_by_role("button", name="Play", exact=True).click()
        expect(desk.page.locator(".lamp")).to_have_text("Recording")
        assert desk.page.evaluate("document.getAnimations().length") == 0
