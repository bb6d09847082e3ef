package wasm

import "parley/sandbox"

// request is what a child process is asked to run, one JSON value after the other on its stdin.
type request struct {
	Job    job   `json:"job"`
	Memory int64 `json:"memory"` // bytes
	Output int   `json:"output"` // bytes of stdout and of stderr
}

// job is what Python reads on its own stdin.
type job struct {
	Source   string           `json:"source"`
	Argument any              `json:"argument"`
	Modules  []sandbox.Module `json:"modules"`
}

// reply is what a child process writes on its stdout: first an empty one, when it is ready, then for each request one when its program
// begins and one with its result. Without an interpreter that can start there is no beginning.
type reply struct {
	Began  bool           `json:"began,omitempty"`
	Result sandbox.Result `json:"result"`
	Error  string         `json:"error,omitempty"` // why the child can run nothing
}
