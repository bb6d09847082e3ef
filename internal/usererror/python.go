package usererror

// This file says in Python what a user is to write, where parley's package for Python started the program.

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// CallerVariable says in the environment who started the program and reads what it says: python, its package.
const CallerVariable = "PARLEY_CALLER"

// InPython says that who reads messages writes Python.
func InPython() bool { return os.Getenv(CallerVariable) == "python" }

// Word is what a user is to write: keys of a recipe, or the arguments of Python's train that stand for them.
func Word(keys, arguments string) string {
	if InPython() {
		return arguments
	}
	return keys
}

// flag matches a flag in a message of parley's own, with a value behind it where that is in capitals or comes from the format.
var flag = regexp.MustCompile(`(^|[^\w-])--([a-z][a-z-]*)(?: (KEY=VALUE|[A-Z]+|%[sdq])\b)?`)

// switches are the flags without a value of the verbs that the package calls.
var switches = map[string]bool{"accept-changed": true, "trust": true, "merged": true, "gguf": true, "why": true}

// Spoken is a message, or its format, with its flags as arguments of Python where Python reads it: --accept-changed is accept_changed=True, --out DIR
// is out=DIR, and --set KEY=VALUE is an entry of overrides. What a user has written does not belong into it.
func Spoken(text string) string {
	if !InPython() {
		return text
	}
	return flag.ReplaceAllStringFunc(text, func(found string) string {
		m := flag.FindStringSubmatch(found)
		name := strings.ReplaceAll(m[2], "-", "_")
		switch {
		case m[3] == "KEY=VALUE":
			return m[1] + `overrides={"KEY": VALUE}`
		case m[2] == "set":
			return m[1] + strings.TrimSuffix("overrides "+m[3], " ")
		case switches[m[2]]:
			return m[1] + name + "=True"
		case m[3] != "":
			return m[1] + name + "=" + m[3]
		}
		return m[1] + name
	})
}

// Train is the command parley train with some flags, each with a value, as a user can paste it into a shell, or, where Python reads it, into Python.
func Train(flags ...string) string {
	if !InPython() {
		return Quote(append([]string{"parley", "train"}, flags...)...)
	}
	var arguments []string
	for i := 0; i+1 < len(flags); i += 2 {
		value := flags[i+1]
		if _, err := strconv.Atoi(value); err != nil {
			value = strconv.Quote(value)
		}
		arguments = append(arguments, strings.ReplaceAll(strings.TrimPrefix(flags[i], "--"), "-", "_")+"="+value)
	}
	return "parley.train(" + strings.Join(arguments, ", ") + ")"
}

// hosted finds the arguments of Python's train that a recipe calls.
var hosted = regexp.MustCompile(`(?:: |- |\[.*)"?host:(reward|environment|agents|tools)\b`)

// GoOn is [Train] for a run with a recipe that was begun: in Python every callable that the recipe calls is given again.
func GoOn(recipe string, flags ...string) string {
	command := Train(flags...)
	if !InPython() {
		return command
	}
	var given []string
	for _, found := range hosted.FindAllStringSubmatch(recipe, -1) {
		if each := ", " + found[1] + "=" + found[1]; !slices.Contains(given, each) {
			given = append(given, each)
		}
	}
	return "run = " + strings.TrimSuffix(command, ")") + strings.Join(given, "") + ")"
}
