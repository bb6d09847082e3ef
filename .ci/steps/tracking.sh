# What parley writes for TensorBoard and sends to MLflow, read by the real ones.
quietly "$(tracking)/bin/python" bench/tracking/check.py --parley "$(parley)"
