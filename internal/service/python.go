package service

import _ "embed"

//go:embed calls.py
var calls string

// PythonDriver is a driver with what the drivers of users' Python have in common in front of its own code. A driver is Python that runs beside a
// user's file: it calls the user's functions and tells the host what they return, or their errors. It defines told(name, error), what the host is
// told of an error, and, where it serves calls as a child of the host, load(name, source), what it makes of the file.
func PythonDriver(own string) string { return calls + own }
