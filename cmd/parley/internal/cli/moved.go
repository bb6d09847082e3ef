package cli

// Moved is the flag for files of a run that are elsewhere now.
type Moved struct {
	Set []string `sep:"none" placeholder:"KEY=PATH" help:"Where a file is now that the run's recipe names, such as task.path=PATH: it was moved, or the run was. Repeatable."`
}
