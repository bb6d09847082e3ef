package main

import (
	"fmt"
	"slices"
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
	return []string{"align", "bank", "decode", "reward", "credit", "rl/credit/instruction", "rl/credit/prefix", "rl/credit/siblings", "label", "loss", "systems/sweet/dialogue", "systems/fuse/fusion", "learn", "rl/learn/ppo", "rl/learn/group", "rl/learn/actorcritic", "rl/learn/preference", "rl/learn/supervised", "eval", "game"}
}

// broken says where a package breaks a rule.
func broken(list []room) (faults []string) {
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
