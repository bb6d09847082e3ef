import json

job = json.load(sys.stdin)
load(job["modules"] or [])
code = program(job.pop("source"), job["argument"])
import os

os._exit(code)
