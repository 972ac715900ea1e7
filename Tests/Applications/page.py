"""A page with a player in a browser, and its buttons."""

import pathlib
import queue

from browser import Browser, Handler, LocalServer
from desktop import HUNG, Failure

HERE = pathlib.Path(__file__).parent


class Page(LocalServer):
    """Serves the page and its music, and presses its buttons."""

    def __init__(self, music):
        #: The buttons that are to be pressed, and what the page says then.
        self.buttons, self.answers = queue.Queue(), queue.Queue()
        outer = self

        class Pages(Handler):
            def do_GET(self):
                if self.path.endswith(".wav"):
                    return self.answer(200, "audio/wav", music.read_bytes())
                return self.answer(200, "text/html", (HERE / "player.html").read_bytes())

            def do_POST(self):
                outer.answers.put(self.details())
                self.answer(200, body=outer.buttons.get().encode())

        super().__init__(Pages)

    def open(self, name, desktop):
        browser = Browser(name, desktop, self, "player")
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
