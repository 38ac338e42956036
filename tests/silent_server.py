#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""silent_server.py FOLDER - PostgreSQL servers that stop answering, each at its own moment.

Writes FOLDER/KIND.port for every kind and serves until it is ended."""
import os
import socket
import struct
import sys
import threading
import time

# AuthenticationOk, a parameter, ReadyForQuery: a connection that has been made
READY = b"R" + struct.pack("!II", 8, 0) + b"Z" + struct.pack("!I", 5) + b"I"
# the answer to one statement: CommandComplete, ReadyForQuery
DONE = b"C" + struct.pack("!I", 8) + b"SET\0" + b"Z" + struct.pack("!I", 5) + b"I"


def start_up(peer):
    """Refuses encryption, then takes the startup packet."""
    while True:
        (length, code) = struct.unpack("!II", peer.recv(8))
        peer.recv(length - 8)
        if code not in (80877103, 80877104):
            return
        peer.sendall(b"N")


def serve(peer, kind):
    try:
        if kind != "accepts":
            start_up(peer)
            peer.sendall(READY)
        if kind == "stalls":  # answers the first statement, then a half of the second
            peer.recv(65536)
            peer.sendall(DONE)
            peer.recv(65536)
            peer.sendall(b"1" + struct.pack("!I", 4) + b"2")
        while kind == "drips":  # never a whole message
            peer.sendall(b"N" + struct.pack("!I", 1 << 20))
            while True:
                peer.sendall(b"x")
                time.sleep(1)
        while peer.recv(65536):
            pass
    except OSError:
        pass


def listen(folder, kind):
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(0 if kind == "blackhole" else 16)
    port = server.getsockname()[1]
    held = []
    if kind == "blackhole":  # its queue is full: whoever knocks is not even refused
        for _ in range(8):
            knock = socket.socket()
            knock.setblocking(False)
            knock.connect_ex(("127.0.0.1", port))
            held.append(knock)
        time.sleep(0.2)
    with open(os.path.join(folder, kind + ".tmp"), "w", encoding="ascii") as out:
        out.write(str(port))
    os.rename(os.path.join(folder, kind + ".tmp"), os.path.join(folder, kind + ".port"))
    while kind == "blackhole":
        time.sleep(60)
    while True:
        peer = server.accept()[0]
        threading.Thread(target=serve, args=(peer, kind), daemon=True).start()


for each in ("accepts", "answers-nothing", "stalls", "drips", "blackhole"):
    threading.Thread(target=listen, args=(sys.argv[1], each), daemon=True).start()
while True:
    time.sleep(60)
