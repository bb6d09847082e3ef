import json

job = json.loads(sys.stdin.readline())
load(job["modules"] or [])
sys.stdin.read()  # its end is the sign that the program begins
code = program(job.pop("source"), job["argument"])
import os

os._exit(code)
