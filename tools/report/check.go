package main

import (
	"fmt"
	"slices"
	"strings"
)

// mostLines is how large a package may be, tests left out, unless it is among large.
const mostLines = 2000

// large are packages of one idea each that does not come apart.
func large() []string {
	return []string{"engine/native", "engine/native/kernel", "engine/native/kernel/gen", "model/tokenizer", "model/chat/jinja"}
}

// leastComments is the share of comments, in percent, in packages with equations.
const leastComments = 15

func equations() []string {
	return []string{"systems/lessonl/bank", "systems/collab", "rl/reward", "rl/credit", "systems/read", "rl/loss", "systems/sweet", "systems/fuse", "rl/learn", "rl/learn/ppo", "rl/learn/group", "rl/learn/actorcritic", "rl/learn/preference", "rl/learn/supervised", "rl/eval", "rl/game"}
}

// A total is a number of the whole house and its bound. Rooms may be sixteen; the other bounds are what was reached, and come down with it.
type total struct {
	what       string
	many, most int
}

// short is how many lines a file has at least that nobody would rather find in its neighbour.
const short = 40

// totals are those of all packages: programs that stand on the house, examples and tools, count too.
func totals(list []room) []total {
	rooms := map[string]bool{}
	packages, files, lines := 0, 0, 0
	for _, r := range list {
		if len(r.files) == 0 {
			continue // tests alone, or what a program wrote
		}
		first, _, _ := strings.Cut(r.name, "/")
		rooms[first] = true
		packages++
		lines += r.lines
		for _, length := range r.files {
			if length < short {
				files++
			}
		}
	}
	return []total{
		{"rooms", len(rooms), 16},
		{"packages", packages, mostPackages},
		{fmt.Sprintf("files under %d lines", short), files, mostShort},
		{"lines without tests", lines, mostInAll},
	}
}

const (
	mostPackages = 178
	mostShort    = 42
	mostInAll    = 201_000
)

// broken says where a package breaks a rule, or the house one.
func broken(list []room) (faults []string) {
	for _, t := range totals(list) {
		if t.many > t.most {
			faults = append(faults, fmt.Sprintf("%d %s: more than %d", t.many, t.what, t.most))
		}
	}
	for _, r := range list {
		if r.lines > mostLines && !slices.Contains(large(), r.name) {
			faults = append(faults, fmt.Sprintf("%s has %d lines: more than %d", r.name, r.lines, mostLines))
		}
		if slices.Contains(equations(), r.name) && 100*r.comments < leastComments*(r.code+r.comments) {
			faults = append(faults, fmt.Sprintf("%s: %s of the lines are comments: %d %% are asked for where equations are", r.name, percent(r.comments, r.code+r.comments), leastComments))
		}
	}
	for _, name := range slices.Concat(large(), equations()) {
		if !slices.ContainsFunc(list, func(r room) bool { return r.name == name }) {
			faults = append(faults, name+" has a rule and is no package")
		}
	}
	return faults
}
