"""Searches what a browser has written to the disk."""

import functools
import http.server
import secrets
import threading

from .leak import forms


class Planted(http.server.BaseHTTPRequestHandler):
    """A page that a browser keeps: the search must find it."""

    def __init__(self, canary, *arguments):
        self.canary = canary
        super().__init__(*arguments)

    def do_GET(self):
        body = f"<title>x</title><p>{self.canary}</p>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def check_profile(page, secret_texts):
    """Ends the page's browser, and fails if its profile has a secret.

    Before that, a page of another origin is opened that lets the browser keep it, and that keeps
    something itself: the search must find both.
    """
    planted = ["planted-" + secrets.token_hex(12) for _ in range(2)]
    handler = functools.partial(Planted, planted[0])
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.open(f"http://localhost:{server.server_address[1]}/")
        page.run(f"localStorage.setItem('x', '{planted[1]}')")
        page.browser.close()
        server.shutdown()
    found = dict.fromkeys(planted, 0)
    for path in page.browser.profile.rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes().decode("latin-1")
        for text in secret_texts:
            if any(form in data for form in forms(text)):
                raise AssertionError(f"{path} has a secret")
        for text in planted:
            found[text] += any(form in data for form in forms(text))
    if not all(found.values()):
        raise AssertionError(f"the search finds not what was planted: {found}")
