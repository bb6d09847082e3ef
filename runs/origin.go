package runs

import "fmt"

// A File is something on disk that decides the numbers of a run, beside its bases.
type File struct {
	Key    string `json:"key"`             // of the recipe, such as reward.user.python
	Path   string `json:"path"`            // of a file or a folder, or the name of a data set that was pulled
	SHA256 string `json:"sha256"`          // of the file, or of what sha256sum prints for the files of a folder
	Bytes  int64  `json:"bytes,omitempty"` // of a file that a run adds to: only so many of its first bytes count
	About  string `json:"-"`               // what answers at an address now, for people
}

// A Change is something that decides numbers and became another in the middle of a run.
type Change struct {
	Update int    `json:"update"` // after which the run went on with it
	What   string `json:"what"`   // a key of the recipe; model, parley or kernels
	Path   string `json:"path,omitempty"`
	Was    string `json:"was"` // a hash, or a version; empty: nothing was recorded
	About  string `json:"-"`   // of what it is now
	Now    string `json:"now"` // empty: it is gone
}

// String says what changed.
func (c Change) String() string {
	name := c.What
	if c.Path != "" {
		name += " " + c.Path
	}
	switch {
	case c.Was == "":
		return name + " is new"
	case c.Now == "":
		return name + " is gone"
	}
	if c.About != "" {
		c.About = ": it is " + c.About
	}
	return fmt.Sprintf("%s was %s, now %s%s", name, short(c.Was), short(c.Now), c.About)
}

// short is the beginning of a hash, and all of a version.
func short(s string) string {
	if len(s) == 64 {
		return s[:12] + "…"
	}
	return s
}
