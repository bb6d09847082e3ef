package keys

// Tables are the keys that are known here by other names: of earlier releases, and of other tools.
func Tables() (old, theirs map[string]string) { return renamed, foreign }
