"""Have tool calls decided by sayso, with nothing but the standard library.

    with Sayso() as sayso:
        decided = sayso.authorize({"tool": "bash", "input": {"command": "git push"}, "cwd": os.getcwd()})
        if decided["decision"]["effect"] == "allow":
            ...

Sayso starts `sayso serve --stdio` and speaks lines of JSON with it. Api speaks HTTP
with `sayso serve --api`, over its socket or its port. docs/api.md has the protocol.
Whatever fails raises an exception: only an answer that says "allow" allows.
"""

import http.client
import itertools
import json
import queue
import socket
import subprocess
import threading


class SaysoError(Exception):
    """sayso said why something was not done; code is for programs."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Sayso:
    """One `sayso serve --stdio`. May be used from several threads.

    asked, if given, is called with each request that waits for a person.
    """

    def __init__(self, command=("sayso", "serve", "--stdio"), asked=None):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._waiting = {}
        self._asked = asked
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if "event" in message:
                if message["event"] == "ask" and self._asked:
                    self._asked(message["request"])
                continue
            with self._lock:
                waiter = self._waiting.pop(message["id"], None)
            if waiter:
                waiter.put(message)
        with self._lock:
            left, self._waiting = list(self._waiting.values()), None
        for waiter in left:
            waiter.put({"error": {"code": "failed", "message": "sayso has ended"}})

    def call(self, method, params):
        waiter = queue.Queue()
        with self._lock:
            if self._waiting is None:
                raise SaysoError("failed", "sayso has ended")
            id = next(self._ids)
            self._waiting[id] = waiter
            self._process.stdin.write(json.dumps({"id": id, "method": method, "params": params}) + "\n")
            self._process.stdin.flush()
        message = waiter.get()
        if "error" in message:
            raise SaysoError(message["error"]["code"], message["error"]["message"])
        return message["result"]

    def decide(self, call):
        """What would be decided; nobody is asked, and nothing is recorded."""
        return self.call("decide", {"call": call})

    def authorize(self, call, wait=0):
        """Decide, ask a person if need be, and record it. Waits for the answer."""
        return self.call("authorize", {"call": call, "wait": wait})

    def result(self, decided, ran, exit=0, error="", output=0):
        """Record how a call ended that was allowed."""
        return self.call("result", {"call": decided["call"], "ran": ran, "exit": exit, "error": error, "output": output})


class Api:
    """The API over HTTP: Api(socket="…/api.sock"), or Api(address="127.0.0.1:1234", token="…")."""

    def __init__(self, socket=None, address=None, token=None):
        self._socket, self._address, self._token = socket, address, token

    def _connect(self):
        if self._address:
            return http.client.HTTPConnection(self._address)
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.connect(self._socket)
        return connection

    def call(self, method, params=None):
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        connection = self._connect()
        try:
            body = None if params is None else json.dumps(params)
            connection.request("GET" if body is None else "POST", "/v1/" + method, body, headers)
            response = connection.getresponse()
            message = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise SaysoError(message["error"]["code"], message["error"]["message"])
        return message
