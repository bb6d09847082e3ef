# Real clients of OpenAI's protocol against the server, and the page of metrics against Prometheus's own reader.
quietly "$(clients)/bin/python" bench/serving/clients.py --parley "$(parley)" --node "$(node_clients)"
