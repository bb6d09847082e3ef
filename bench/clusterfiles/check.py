"""Reads files of `parley cluster write` as SkyPilot, Kubernetes with KubeRay, and Slurm read them.

usage: python check.py --crds DIR FILE...
"""
import argparse
import pathlib
import shlex
import sys

import jsonschema
import kubernetes_validate
import yaml

# Options of sbatch that a batch script may have, as its manual names them.
SBATCH = {"job-name", "nodes", "ntasks", "cpus-per-task", "gpus-per-node", "mem", "time", "output"}


def closed(schema):
    """A schema in which keys that it does not name are errors, as the API server's strict validation has it."""
    if isinstance(schema, dict):
        if "properties" in schema and not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
        if schema.pop("x-kubernetes-int-or-string", False):
            schema.pop("anyOf", None)
            schema["type"] = ["integer", "string"]
        for value in schema.values():
            closed(value)
    if isinstance(schema, list):
        for value in schema:
            closed(value)
    return schema


def ray_schemas(folder):
    schemas = {}
    for path in pathlib.Path(folder).glob("ray.io_*.yaml"):
        crd = yaml.safe_load(path.read_text())
        version = next(v for v in crd["spec"]["versions"] if v["name"] == "v1")
        schema = closed(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {"type": "object"}
        schemas[crd["spec"]["names"]["kind"]] = schema
    return schemas


def kuberay(path, schemas):
    for part in yaml.safe_load_all(path.read_text()):
        if part["apiVersion"] == "ray.io/v1":
            jsonschema.validate(part, schemas[part["kind"]])
        else:
            kubernetes_validate.validate(part, "1.32", strict=True)


def skypilot(path):
    import sky

    task = sky.Task.from_yaml(str(path))
    (resources,) = task.resources
    if task.num_nodes != (2 if "nodes" in path.parts else 1) or not resources.accelerators:
        raise ValueError(f"nodes {task.num_nodes}, accelerators {resources.accelerators}")


def slurm(path):
    lines = path.read_text().splitlines()
    head = [line for line in lines if line.startswith("#SBATCH")]
    if lines[1 : 1 + len(head)] != head:
        raise ValueError("#SBATCH behind a command, which sbatch does not read")
    for line in head:
        (word,) = shlex.split(line)[1:]
        name, is_set, value = word.removeprefix("--").partition("=")
        if name not in SBATCH or not is_set or not value:
            raise ValueError(line)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--crds", required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    schemas, failed = ray_schemas(args.crds), 0
    for path in args.files:
        try:
            if path.name.endswith(".sky.yaml"):
                skypilot(path)
            elif path.suffix == ".sbatch":
                slurm(path)
            else:
                kuberay(path, schemas)
            print("read:", path.name, "of", path.parent.name)
        except Exception as error:  # each file is read, whatever is wrong with another
            failed += 1
            print(f"{path}: {getattr(error, 'message', error)}", file=sys.stderr)
    if failed or len(args.files) < 4:
        sys.exit(f"{failed} of {len(args.files)} files are wrong")


if __name__ == "__main__":
    main()
