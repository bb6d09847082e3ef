package wasm

import "parley/task/sandbox"

// request is what a child process is asked to run, one JSON value after the other on its stdin.
type request struct {
	Job    job   `json:"job"`
	Second *job  `json:"second,omitempty"` // runs beside the job, joined with it; nil: the job runs alone
	Memory int64 `json:"memory"`           // bytes of each
	Output int   `json:"output"`           // bytes of stdout and of stderr of the job; those of a second are discarded
}

// job is what Python reads on its own stdin.
type job struct {
	Source   string           `json:"source"`
	Argument any              `json:"argument"`
	Modules  []sandbox.Module `json:"modules"`
	Joined   bool             `json:"joined"` // there is a channel
}

// reply is what a child process writes on its stdout: first an empty one, when it is ready, then for each request one when its program
// begins and one with its result, and after a second program's end an empty one. Without an interpreter that can start there is no
// beginning. A second program begins when the first does.
type reply struct {
	Began  bool           `json:"began,omitempty"`
	Result sandbox.Result `json:"result"`
	Error  string         `json:"error,omitempty"` // why the child can run nothing
}
