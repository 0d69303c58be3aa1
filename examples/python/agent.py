"""A very small agent: runs the commands it is given, if sayso lets it.

usage: agent.py COMMAND...
"""

import os
import subprocess
import sys

from sayso import Sayso


def asked(request):
    print("waiting:", request["id"], flush=True)


def run(sayso, command):
    call = {"agent": "example", "session": "example", "tool": "bash", "input": {"command": command}, "cwd": os.getcwd()}
    decided = sayso.authorize(call, wait=120)
    decision = decided["decision"]
    if decision["effect"] != "allow":
        # This is what the model should read.
        print(f"{decision['effect']}: {decision['reason']}", flush=True)
        return
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    print("ran:", done.stdout.strip(), flush=True)
    sayso.result(decided, ran=True, exit=done.returncode, output=len(done.stdout))


with Sayso(asked=asked) as sayso:
    for command in sys.argv[1:]:
        run(sayso, command)
