"""Runs a command whose standard output is a terminal of a given width, and prints what it writes: WIDTH COMMAND…"""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

width, *command = sys.argv[1:]
terminal, inside = pty.openpty()
fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(width), 0, 0))
child = subprocess.Popen(command, stdout=inside)
os.close(inside)
written = b""
while True:
    try:
        block = os.read(terminal, 65536)
    except OSError:  # Linux reports the end of a pseudo-terminal as EIO.
        break
    if not block:
        break
    written += block
sys.stdout.buffer.write(written.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(child.wait())
