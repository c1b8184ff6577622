"""A headless Chromium that says what it asked for and complained about."""

import base64
import json
import shutil
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SCHEMES = ("light", "dark")
WIDTHS = (1280, 390)


def installed():
    """The browser and its driver, or what is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Browser:
    def __init__(self):
        browser, driver = installed()
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        # In a container there is neither a sandbox for root nor much shared memory.
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                         "--hide-scrollbars", "--force-color-profile=srgb", "--disable-background-networking",
                         "--disable-component-update", "--no-first-run", "--no-default-browser-check"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(driver))
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(100)
        self.look("light", 1280)

    def look(self, scheme, width, height=900):
        """As on a screen of this width, for who prefers light or dark."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, address):
        """Opens a page; what it complained about and whom it asked that is not itself."""
        self.driver.get_log("performance"), self.driver.get_log("browser")
        self.driver.get(address)
        return self.complaints(address)

    def complaints(self, address):
        said = [f"console: {entry['message']}" for entry in self.driver.get_log("browser")]
        own = urlsplit(address)
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked = urlsplit(message["params"]["request"]["url"])
                if asked.scheme != "data" and (asked.scheme, asked.netloc) != (own.scheme, own.netloc):
                    said.append(f"asked {asked.geturl()}")
        return said

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def picture(self, path):
        """The whole page, however long; 12,000 pixels of it at most."""
        size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12_000), "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": clip, "captureBeyondViewport": True})
        path.write_bytes(base64.b64decode(shot["data"]))

    def close(self):
        self.driver.quit()
