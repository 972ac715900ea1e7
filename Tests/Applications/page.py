"""A page in a browser, and its buttons."""

import mimetypes
import queue

from browser import Browser, Handler, LocalServer
from desktop import HUNG, Failure


class Page(LocalServer):
    """Serves a page and the files that it needs, and presses its buttons."""

    def __init__(self, page, *files):
        files = {file.name: file for file in (page, page.with_name("buttons.js"), *files)}
        self.name = page.stem
        #: The buttons that are to be pressed, and what the page says then.
        self.buttons, self.answers = queue.Queue(), queue.Queue()
        outer = self

        class Pages(Handler):
            def do_GET(self):
                file = files.get(self.path.lstrip("/"))
                if file is None:
                    return self.answer(404)
                return self.answer(200, mimetypes.guess_type(file.name)[0], file.read_bytes())

            def do_POST(self):
                outer.answers.put(self.details())
                self.answer(200, body=outer.buttons.get().encode())

        super().__init__(Pages)

    def open(self, name, desktop):
        browser = Browser(name, desktop, self, self.name)
        self._wait_for_answer()
        return browser

    def press(self, button):
        """Has a button pressed, and returns what the page shows then."""
        self.buttons.put(button)
        return self._wait_for_answer()

    def _wait_for_answer(self):
        try:
            return self.answers.get(timeout=HUNG)
        except queue.Empty:
            raise Failure("the page does not answer") from None
