"""Clients that follow no rules, and write anything to their sockets."""

import socket
import time

from .service import PATIENCE


class RawClient:
    """A connection that can send any bytes, with TLS or without."""

    def __init__(self, service, is_tls=True, receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", service.port))
        if is_tls:
            self.socket = service.context().wrap_socket(
                self.socket, server_hostname="localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        """Sends as much as the service takes; `False` if it has closed the connection."""
        try:
            self.socket.sendall(data if isinstance(data, bytes) else data.encode())
            return True
        except OSError:
            return False

    def drip(self, data, pause):
        """Sends one byte at a time until all are sent or the connection is closed."""
        for byte in data:
            if not self.send(bytes([byte])):
                return False
            time.sleep(pause)
        return True

    def receive(self):
        """Everything that the service sends until it closes the connection."""
        parts = []
        try:
            while part := self.socket.recv(65536):
                parts.append(part)
        except TimeoutError:
            raise
        except OSError:
            pass
        return b"".join(parts)

    def answer(self):
        """The status and body of one answer; 0 if the connection is closed first."""
        data = b""
        try:
            while b"\r\n\r\n" not in data:
                part = self.socket.recv(65536)
                if not part:
                    return 0, b""
                data += part
            head, _, body = data.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            status = int(lines[0].split()[1])
            headers = dict(line.lower().split(": ", 1) for line in lines[1:])
            while len(body) < int(headers.get("content-length", 0)):
                part = self.socket.recv(65536)
                if not part:
                    break
                body += part
            return status, body
        except TimeoutError:
            raise
        except OSError:
            return 0, b""


def head(method, target, *headers):
    """The complete head of a request."""
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
    return "\r\n".join(lines) + "\r\n\r\n"


def request(method, target, body=b"", *headers):
    """A complete request."""
    body = body if isinstance(body, bytes) else body.encode()
    return head(method, target, f"Content-Length: {len(body)}", *headers).encode() + body
