"""`make screenshot`: makes docs/screenshot.png from the real page, served and run for it."""

from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from bench import page, server

TARGET = Path(__file__).with_name("screenshot.png")


def main() -> None:
    """Opens the page, waits for the example's graph, plays to the rewind, and takes the picture."""
    with server.running() as client, sync_playwright() as playwright:
        browser = page.chromium(playwright)
        view = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="light")
        view.goto(str(client.base_url))
        page.graph_is_drawn(view)
        slider = view.locator("#slider")
        slider.focus()
        slider.press("End")
        for _ in range(3):
            slider.press("ArrowLeft")
        expect(view.locator("#sentence")).not_to_be_empty()
        view.wait_for_timeout(500)
        view.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
