"""A headless Chromium for tests of pages; blocking, so async tests run it in a thread."""

import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait
from yarl import URL

from tests.fakes.platforms.patience import PATIENCE_S, SAID_AFTER_S, say_long_wait
from tests.fakes.ports import free_port

_UNUSED = (
    "IsolateOrigins",
    "site-per-process",
    "SpareRendererForSitePerProcess",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading",
    "OptimizationHints",
    "PrivacySandboxSettings4",
    "Translate",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # What no page of ours needs, and takes a fifth of what a browser costs.
    "--disable-extensions",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-breakpad",
    "--metrics-recording-only",
    # Nor does any need what a person looked at before: going to a page costs a sixth less.
    "--incognito",
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    f"--disable-features={','.join(_UNUSED)}",
)


def browser_or_skip() -> None:
    """Skip the test where there is no chromium and chromedriver; in CI that is a failure."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    if not missing:
        return
    reason = f"no {' and no '.join(missing)} on PATH: pages cannot be tested here"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


_MAY_BE_SHOWN = """
const [css, text] = arguments;
return [...document.querySelectorAll(css)].filter((each) =>
  (each.closest("select") ?? each).checkVisibility({ visibilityProperty: true })
  && (!text || each.innerText.includes(text)));
"""

_CAN_BE_HIT = """
const [element] = arguments;
element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
const box = element.getClientRects()[0];
if (!box) return false;
const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
return element.contains(document.elementFromPoint(x, y));
"""

_SELECT_ALL = """
const [field] = arguments;
field.focus();
if (field.select) field.select();
"""

# Chinese is readable in pictures of pages wherever they are made: the font is in the repository.
_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include><dir>{folder}</dir>
</fontconfig>
"""
_FONT_FOLDER = Path(__file__).parents[2] / "adapters" / "pictures" / "fonts"


class Browsers:
    """A browser of each language, opened once in a session and lent as if it were new."""

    def __init__(self) -> None:
        self._opened: dict[str, Browser] = {}
        self._ends = ExitStack()

    def lend(self, language: str = "en") -> Iterator["Browser"]:
        """One for a fixture to yield from; skips the test where there is none."""
        browser_or_skip()
        if language not in self._opened:
            self._opened[language] = self._ends.enter_context(Browser(language=language))
        yield self._opened[language]
        self._opened[language].renew()

    def close(self) -> None:
        """End them all."""
        self._ends.close()


class Browser:
    """One browser window; `with Browser() as browser:` ends the browser and its profile."""

    def __init__(self, *, language: str = "en") -> None:
        self._language = language
        self._origins: set[str] = set()

    def __enter__(self) -> Self:
        self._profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        options = ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*_FLAGS, f"--user-data-dir={self._profile.name}"):
            options.add_argument(flag)
        options.add_experimental_option(
            "prefs", {"intl.accept_languages": self._language, "signin.allowed": False}
        )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # An explicit path: without one, selenium would go and look for a driver to download.
        fonts = Path(self._profile.name) / "fonts.conf"
        fonts.write_text(_FONTS.format(folder=_FONT_FOLDER))
        env = {**os.environ, "FONTCONFIG_FILE": str(fonts)}
        self.driver = Chrome(
            options=options,
            service=Service(shutil.which("chromedriver"), port=free_port(), env=env),
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.driver.quit()
        finally:
            self._profile.cleanup()

    def open(self, url: str) -> None:
        """Go to a page and wait until it is loaded, its styles too."""
        self._origins.add(str(URL(url).origin()) if URL(url).host else "")
        self.driver.get(url)
        self.loaded()

    def renew(self) -> None:
        """Forget everything: tabs, what was emulated in them, cookies, and what pages stored."""
        old = self.driver.window_handles
        self.driver.switch_to.new_window("tab")
        mine = self.driver.current_window_handle
        for handle in old:
            self.driver.switch_to.window(handle)
            self.driver.close()
        self.driver.switch_to.window(mine)
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        for origin in self._origins - {""}:
            stored = {"origin": origin, "storageTypes": "all"}
            self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", stored)
        self._origins.clear()
        self.console_errors()

    def loaded(self) -> None:
        """Wait for the styles too: on a busy machine the driver sees a page before it has them."""
        WebDriverWait(self.driver, PATIENCE_S, 0.05).until(
            lambda _: self.run("return document.readyState") == "complete", "the page did not load"
        )

    def emulate(self, *, width: int, height: int, dark: bool = False) -> None:
        """Show the page at this size in CSS pixels, with the light or the dark scheme."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})

    def find(self, css: str) -> WebElement:
        """The first element that matches and is shown, once there is one."""
        return self._until(lambda: self._shown(css), _missing(css))

    def all(self, css: str) -> list[WebElement]:
        """What matches right now."""
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def wait_text(self, css: str, text: str) -> WebElement:
        """The first shown element that matches and contains `text`, once there is one."""
        return self._until(lambda: self._shown(css, text), _missing(css, text))

    def click(self, css: str, text: str = "") -> None:
        """Click the first shown element that matches and contains `text`, once there is one."""
        self._do(css, self._hit, text)

    def fill(self, css: str, text: str) -> None:
        """Put `text` in place of what a field holds, at once, as an input method does.

        Key by key, with what the driver does around it, it takes four times as much of a
        processor. What keys do is for `type_lines` and `press_enter`; a field that takes nothing
        but keys, as one of a date, gets them.
        """

        def fill(field: WebElement) -> None:
            self.run(_SELECT_ALL, field)
            self.driver.execute_cdp_cmd("Input.insertText", {"text": text})
            if field.get_property("value") != text:
                field.clear()
                field.send_keys(text)

        self._do(css, fill)

    def type_lines(self, css: str, *lines: str) -> None:
        """Type lines into a text area, with Shift+Enter between them."""
        field = self.find(css)
        for number, line in enumerate(lines):
            if number:
                field.send_keys(Keys.SHIFT, Keys.ENTER, Keys.NULL)
            field.send_keys(line)

    def press_enter(self, css: str) -> None:
        """Press Enter in a field."""
        self._do(css, lambda field: field.send_keys(Keys.ENTER))

    def run(self, script: str, *arguments: Any) -> Any:
        """The value that a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def screenshot(self, path: Path) -> None:
        """Write what the window shows as PNG, for somebody to look at, where SCREENSHOTS names a
        folder; a picture costs more than most of what is looked at without it."""
        if folder := os.environ.get("SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / path.name).write_bytes(self.driver.get_screenshot_as_png())

    def console_errors(self) -> list[str]:
        """Errors that the console got since the last call; policy violations are among them."""
        entries: list[dict[str, Any]] = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def _shown(self, css: str, text: str = "") -> WebElement | None:
        # The driver asks a page three times for each element, so the page says first which may be.
        shown = (e for e in self.run(_MAY_BE_SHOWN, css, text) if e.is_displayed())
        return next((e for e in shown if not text or text in e.text), None)

    def _hit(self, element: WebElement) -> None:
        """Click where a person would, at a quarter of what the driver's own way costs.

        What the page cannot tell to be hit there, an option or what something covers, is left to
        the driver, which says why it cannot be clicked.
        """
        if self.run(_CAN_BE_HIT, element):
            ActionChains(self.driver, duration=0).move_to_element(element).click().perform()
        else:
            element.click()

    def _state(self) -> str:
        """What a page that something was waited for in vain shows, and what its console has."""
        page = self.run("return `${document.location} ${document.body?.innerText.slice(0, 500)}`")
        return f"{page} {self.console_errors()}"

    def _do(self, css: str, act: Callable[[WebElement], object], text: str = "") -> None:
        """Once more with what stands in its place, when the page replaced it just before."""

        def done() -> WebElement | None:
            element = self._shown(css, text)
            if element is not None:
                act(element)
            return element

        self._until(done, _missing(css, text))

    def _until(self, found: Callable[[], WebElement | None], complaint: str) -> WebElement:
        wait = WebDriverWait(
            self.driver, PATIENCE_S, 0.1, ignored_exceptions=[StaleElementReferenceException]
        )
        began = time.monotonic()

        def look(_: object) -> WebElement | bool:
            nonlocal began
            if time.monotonic() - began > SAID_AFTER_S:
                began = math.inf
                say_long_wait(complaint)
            return found() or False

        try:
            element = wait.until(look, complaint)
        except TimeoutException as late:
            raise TimeoutException(f"{complaint}; {self._state()}") from late
        assert isinstance(element, WebElement)
        return element


def _missing(css: str, text: str = "") -> str:
    return f"nothing shown matches {css}" + (f" with the text {text!r}" if text else "")
