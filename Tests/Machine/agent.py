#!/usr/bin/python3
"""Runs commands inside the machine: agent PORT

Each line that comes in by a port of virtio is {"id", "command", "timeout"}; the answer is a line {"id", "status", "output"}.
"""

import json
import os
import subprocess
import sys
import time


def run(job):
    try:
        done = subprocess.run(["bash", "-c", job["command"]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=job["timeout"])
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, output = 124, late.stdout or b""
    return {"id": job["id"], "status": status, "output": output.decode(errors="replace")}


def opened(path):
    # A port belongs to one process at a time: the agent of who is logging out may still have it.
    while True:
        try:
            return os.open(path, os.O_RDWR)
        except OSError:
            time.sleep(0.1)


port = opened(sys.argv[1])
rest = b""
while True:
    part = os.read(port, 65536)
    if not part:
        # Nobody is connected outside.
        time.sleep(0.05)
        continue
    *lines, rest = (rest + part).split(b"\n")
    for line in lines:
        try:
            answer = json.dumps(run(json.loads(line))).encode() + b"\n"
        except (ValueError, KeyError, TypeError):
            continue
        while answer:
            answer = answer[os.write(port, answer):]
