// Package python has what the drivers of users' Python have in common. A driver is Python that runs beside a user's file: it calls the user's
// functions and tells the host what they return, or their errors. It defines told(name, error), what the host is told of an error, and, where it
// serves calls as a child of the host, load(name, source), what it makes of the file.
//
//	//go:embed python/reward.py
//	var source string
//	driver := python.Driver(source)
package python

import _ "embed"

//go:embed calls.py
var calls string

// Driver is a driver with what all of them have in front of its own code.
func Driver(own string) string { return calls + own }
