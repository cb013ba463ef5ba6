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

    def test_what_the_graphs_header_has_no_room_for_opens_beneath_a_button(
        self, desk: Desk
    ) -> None:
        desk.open()
        page = desk.page
        for name in ("Show bookkeeping", "Top to bottom", "Copy link"):
            expect(page.get_by_role("button", name=name)).not_to_be_visible()
        page.locator("#more").click()
        page.get_by_role("button", name="Top to bottom").click()
        expect(page.locator("#direction")).to_have_text("Left to right")
        page.get_by_role("button", name="Show bookkeeping").click()
        expect(page.locator(".node", has_text="ReadVariableOp")).to_have_count(3)
        page.get_by_role("button", name="Copy link").click()
        expect(page.locator("#copy-phone")).to_have_text("Link copied")
        page.locator("#copy-phone").focus()
        page.keyboard.press("Escape")
        expect(page.locator("#more")).to_be_focused()
        expect(page.locator("#direction")).not_to_be_visible()
        page.locator("#search").fill("mul")
        expect(page.locator("#search-note")).to_have_text("2 ops")
        page.locator("#zoom-fit").click()
        assert not page.evaluate(OVERFLOW)

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
