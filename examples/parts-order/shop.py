"""A shop on loopback for the time of one command.

    python3 shop.py COMMAND ARGUMENT…

Starts the shop, runs the command, and says at the end what was ordered. The
shop takes the first order and loses the reply: the connection breaks after the
deed. Standard library only.
"""

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = 18765
PRICES = {"bolt-m8": 0.35, "nut-m8": 0.12}
orders = {}
requests = []


class Shop(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        requests.append(f"GET {self.path}")
        room, _, name = self.path.strip("/").partition("/")
        found = PRICES.get(name) if room == "prices" else orders.get(name)
        if found is None:
            return self.answer(404, {"error": f"nothing at {self.path}"})
        return self.answer(200, {"price": found} if room == "prices" else found)

    def do_POST(self):
        requests.append(f"POST {self.path}")
        length = int(self.headers.get("content-length", 0))
        order = json.loads(self.rfile.read(length))
        first = not orders
        orders[self.path.strip("/").partition("/")[2]] = order
        if first:
            # The order stands; nobody will hear of it.
            self.close_connection = True
            return self.connection.close()
        return self.answer(201, order)


def main():
    with ThreadingHTTPServer(("127.0.0.1", PORT), Shop) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        code = subprocess.run(sys.argv[1:], check=False).returncode
        server.shutdown()
    for request in requests:
        print("shop:", request.replace(next(iter(orders), "?"), "KEY"))
    print(f"shop: {len(orders)} order(s): {json.dumps(list(orders.values()))}")
    # Ordering twice, or not at all, fails the example.
    sys.exit(code if len(orders) == 1 else 1)


main()
