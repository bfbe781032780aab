"""Which of the operators named on standard input this Paddle's translator to PIR has no name for.

Each is translated alone, in a process of its own: some die of what they lack, which comes later.
"""

from __future__ import annotations

import json
import os
import sys

import paddle
from paddle import pir


def said_of(name: str) -> bytes:
    """What the translation of a program of that operator alone raises."""
    to_read, to_write = os.pipe()
    if os.fork() == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            with paddle.pir_utils.OldIrGuard():
                program = paddle.static.Program()
                program.desc.block(0).append_op().set_type(name)
                pir.translate_to_pir(program.desc)
        except BaseException as error:
            os.write(to_write, str(error).encode()[-3000:])
        os._exit(0)
    os.close(to_write)
    with os.fdopen(to_read, "rb") as file:
        said = file.read()
    os.wait()
    return said


names = json.load(sys.stdin)
print(json.dumps([name for name in names if b"should have corresponding OpInfo" in said_of(name)]))
