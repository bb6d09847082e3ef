"""llama.cpp's own server, as the package xllamacpp has it ready built: no compiler is needed. It serves until it is told to end.

    python bench/serving/llama_server.py --model FILE.gguf --port 8080 --slots 8 --context 512 --threads 2 --key bench

Its kernels are for any processor of the kind; a llama-server that was built for this one is faster.
"""
import argparse
import signal
import threading

import xllamacpp

flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
flags.add_argument("--model", required=True)
flags.add_argument("--alias", default="", help="what clients call the model")
flags.add_argument("--port", type=int, required=True)
flags.add_argument("--slots", type=int, default=1, help="requests at a time")
flags.add_argument("--context", type=int, default=512, help="tokens of each")
flags.add_argument("--threads", type=int, required=True)
flags.add_argument("--key", required=True)
flags = flags.parse_args()

params = xllamacpp.CommonParams()
params.model.path = flags.model
if flags.alias:
    params.model_alias = {flags.alias}
params.hostnames = ["127.0.0.1"]
params.port, params.n_parallel, params.n_ctx = flags.port, flags.slots, flags.slots * flags.context
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = flags.threads
params.api_keys, params.fit_params = [flags.key], False
server = xllamacpp.Server(params)
print("listening on", server.listening_address, xllamacpp.get_system_info(), flush=True)
ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())
ended.wait()
