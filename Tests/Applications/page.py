"""A page with a player in a browser, and its buttons."""

import http.server
import pathlib
import queue
import threading

from browser import Browser
from desktop import HUNG, Failure

HERE = pathlib.Path(__file__).parent


class Page:
    """Serves the page and its music. For browser.Browser it is the server of its page."""

    def __init__(self, music):
        #: What the page tells of its first step, for Browser; the buttons that are to be pressed, and what the page says then.
        self.told, self.buttons, self.answers = queue.Queue(), queue.Queue(), queue.Queue()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                if self.path.endswith(".wav"):
                    return self.answer("audio/wav", music.read_bytes())
                return self.answer("text/html", (HERE / "player.html").read_bytes())

            def do_POST(self):
                details = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                outer.answers.put(details)
                self.answer("text/plain", outer.buttons.get().encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, page):
        return f"http://localhost:{self.server.server_address[1]}/{page}.html"

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
