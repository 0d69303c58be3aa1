"""Answers what waits, for a person: approver.py SOCKET yes|no REQUEST

The token of whoever answers, which `sayso serve --api` prints, is in SAYSO_ANSWERS.
"""

import os
import sys

from sayso import Api

api = Api(socket=sys.argv[1], token=os.environ["SAYSO_ANSWERS"])
for request in api.call("requests")["requests"]:
    if request["id"] == sys.argv[3]:
        print("answering:", request["call"]["input"]["command"])
        api.call("answer", {"request": request["id"], "yes": sys.argv[2] == "yes"})
