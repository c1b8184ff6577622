"""Follows links of the server's pages, each once, without a browser."""

import html
import re
from urllib.error import HTTPError
from urllib.request import urlopen


class Crawl:
    def __init__(self, address):
        self.address = address
        # The status of each address.
        self.seen = {}
        # (address, status, page that links to it).
        self.broken = []

    def get(self, path):
        try:
            with urlopen(self.address + path, timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except HTTPError as answer:
            status, text = answer.code, answer.read().decode()
        self.seen[path] = status
        return status, text

    @staticmethod
    def links(text):
        found = [html.unescape(link) for link in re.findall(r'<a [^>]*?href="([^"]*)"', text)]
        return list(dict.fromkeys(link for link in found if link.startswith("/")))

    def menu(self, path):
        """The pages that the side bar of a page links to."""
        text = self.get(path)[1]
        return self.links(text[text.index('aria-label="Reports"'):text.index('<main')])

    def follow(self, page, paths):
        """Opens those that were not opened before."""
        for path in paths:
            if path not in self.seen and self.get(path)[0] != 200:
                self.broken.append((path, self.seen[path], page))

    def pages(self, paths):
        """Opens pages and every link on them."""
        for path in paths:
            status, text = self.get(path)
            if status != 200:
                self.broken.append((path, status, "the test"))
            self.follow(path, self.links(text))

    def errors(self, paths):
        """Opens error pages and every link on them, but those that only take one of several choices away."""
        for path in paths:
            status, text = self.get(path)
            if status not in (400, 404):
                self.broken.append((path, status, "the test"))
            self.follow(path, self.links(re.sub(r'<a class="chip"[^>]*title="Remove this filter".*?</a>', "", text)))
