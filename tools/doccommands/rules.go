package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A rule says what is done with the commands that a pattern matches. * in it stands for anything.
//
//	first COMMAND                 is run before everything else
//	run PATTERN [+ ARGUMENTS]     is run, with more arguments that make it quick
//	fails CODE PATTERN [+ …]      is run, and has to end with this exit code
//	step NAME PATTERN             is what another step of CI does
//	left PATTERN # why            is not run
type rule struct {
	line    int
	verb    string
	pattern string
	matcher *regexp.Regexp
	more    string // arguments
	code    int
	note    string // the step, or why not
}

func (r rule) runs() bool { return slices.Contains([]string{"first", "run", "fails"}, r.verb) }

// parseRules reads .ci/commands.txt.
func parseRules(text string) (rules []rule, err error) {
	var faults []error
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			faults = append(faults, fmt.Errorf(".ci/commands.txt:%d: %w", i+1, err))
		}
		r.line = i + 1
		rules = append(rules, r)
	}
	return rules, errors.Join(faults...)
}

func parseRule(line string) (r rule, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	r.verb = verb
	rest = strings.TrimSpace(rest)
	switch verb {
	case "first":
	case "run":
		rest, r.more, _ = strings.Cut(rest, " + ")
	case "fails":
		code, after, _ := strings.Cut(rest, " ")
		if r.code, err = strconv.Atoi(code); err != nil || r.code == 0 {
			return r, fmt.Errorf("%q is no exit code of a failure", code)
		}
		rest, r.more, _ = strings.Cut(after, " + ")
	case "step":
		r.note, rest, _ = strings.Cut(rest, " ")
		if _, err := os.Stat(".ci/steps/" + r.note + ".sh"); err != nil {
			return r, fmt.Errorf("there is no step %q", r.note)
		}
	case "left":
		rest, r.note, _ = strings.Cut(rest, " # ")
		if r.note == "" {
			return r, errors.New("say why, after #")
		}
	default:
		return r, fmt.Errorf("%q is none of first, run, fails, step, left", verb)
	}
	r.pattern = strings.TrimSpace(rest)
	if r.pattern == "" {
		return r, errors.New("there is no command")
	}
	quoted := strings.ReplaceAll(regexp.QuoteMeta(r.pattern), `\*`, `.*`)
	r.matcher = regexp.MustCompile("^" + quoted + "$")
	return r, nil
}

// A job is a command and what is done with it.
type job struct {
	command command
	rule    rule
}

func (j job) String() string {
	switch {
	case j.rule.verb == "step":
		return fmt.Sprintf("%s (in step %s)", j.command, j.rule.note)
	case j.rule.verb == "left":
		return fmt.Sprintf("%s (left: %s)", j.command, j.rule.note)
	case j.rule.more != "":
		return fmt.Sprintf("%s (with %s)", j.command, j.rule.more)
	}
	return j.command.String()
}

// match gives each command the first rule whose pattern it fits.
func match(commands []command, rules []rule) (plan []job, err error) {
	var faults []error
	used := map[int]bool{}
	for _, r := range rules {
		if r.verb == "first" {
			plan = append(plan, job{command{".ci/commands.txt", r.line, r.pattern}, r})
			used[r.line] = true
		}
	}
	for _, c := range commands {
		at := slices.IndexFunc(rules, func(r rule) bool { return r.verb != "first" && r.matcher.MatchString(c.text) })
		if at < 0 {
			faults = append(faults, fmt.Errorf("%s: no rule of .ci/commands.txt says what is done with it", c))
			continue
		}
		used[rules[at].line] = true
		plan = append(plan, job{c, rules[at]})
	}
	for _, r := range rules {
		if !used[r.line] {
			faults = append(faults, fmt.Errorf(".ci/commands.txt:%d: no document has a command %q, or an earlier rule takes it", r.line, r.pattern))
		}
	}
	return plan, errors.Join(faults...)
}
