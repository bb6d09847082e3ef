"""examples/notebook.ipynb, run from top to bottom in a kernel."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from support import Case

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"

# Before the first cell: the tokens of hosts are noted, to look for them in what is shown.
NOTED = """
import parley._host, secrets, types
tokens = []
def noted(*of):
    tokens.append(secrets.token_urlsafe(*of))
    return tokens[-1]
parley._host.secrets = types.SimpleNamespace(token_urlsafe=noted)
"""
TOLD = "import pathlib; pathlib.Path('tokens').write_text('\\n'.join(tokens))"


class TestNotebook(Case):
    def test_it_is_stored_without_outputs(self) -> None:
        for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))

    def test_it_runs(self) -> None:
        notebook: Any = nbformat.read(NOTEBOOK, as_version=4)
        sources = [c.source for c in notebook.cells if c.cell_type == "code"]
        notebook.cells = [nbformat.v4.new_code_cell(NOTED), *notebook.cells, nbformat.v4.new_code_cell(TOLD)]
        NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(self.folder)}}).execute()
        shown = {c.source: c.outputs for c in notebook.cells if c.cell_type == "code"}
        html = [s for s in sources if any("text/html" in o.get("data", {}) for o in shown[s])]
        for word in ("parley.train", "run.sql", "run.page", "to_pandas"):
            self.assertTrue(any(word in s for s in html), word)
        self.assertTrue(any("<code>" in str(o) for s in sources if "parley.train" in s for o in shown[s]), "no progress is shown")
        tokens = Path("tokens").read_text().split()
        self.assertGreaterEqual(len(tokens), 2)
        text = json.dumps(notebook)
        for token in tokens:
            self.assertNotIn(token, text)
        self.assertTrue((self.folder / "adapters" / "policy-agent1" / "adapter_model.safetensors").exists())


if __name__ == "__main__":
    unittest.main()
