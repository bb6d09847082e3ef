{{/* Starts SkyRL from an installed package: published, it starts its engine with uv in a checkout of its source. */ -}}
import json
import os
import sys

import uvicorn
from skyrl.tinker import api, config

settings = json.loads(sys.argv[1])
{{if gt .Nodes 1 -}}
settings["backend_config"]["coordinator_address"] = os.environ["COORDINATOR"]
{{end -}}
settings["checkpoints_base"] = os.path.abspath("checkpoints")
settings["database_url"] = "sqlite:///" + os.path.abspath("queue.sqlite")
api._build_uv_run_cmd_engine = lambda _, c: [sys.executable, "-m", "skyrl.tinker.engine", *config.config_to_argv(c)]
api.app.state.engine_config = config.EngineConfig.model_validate(settings)
uvicorn.run(api.app, host=sys.argv[2], port=int(sys.argv[3]), timeout_keep_alive=75)
