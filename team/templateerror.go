package team

import (
	"errors"
	"fmt"
	"regexp"
	"text/template"
)

// Errors of package text/template. They name Go types, which say nothing to who wrote the template.
var (
	noField = regexp.MustCompile(`(?s)^template: .*:(\d+):(\d+): executing "[^"]*" at <(.*)>: can't evaluate field (\w+) in type .*$`)
	noKey   = regexp.MustCompile(`(?s)^template: .*:(\d+):(\d+): executing "[^"]*" at <(.*)>: map has no entry for key ("[^"]*")$`)
)

// A templateError has words of its own for what is wrong, which can still be asked for as it was.
type templateError struct {
	words string
	cause error
}

func (e *templateError) Error() string { return e.words }
func (e *templateError) Unwrap() error { return e.cause }

// TemplateError says what is wrong with a template of prompts, in words of templates alone. It wraps err.
func TemplateError(err error) error {
	var running template.ExecError
	if !errors.As(err, &running) {
		return fmt.Errorf("prompt template: %w", err)
	}
	for form, words := range map[*regexp.Regexp]string{noField: "there is no .%s", noKey: "there is no %s"} {
		if m := form.FindStringSubmatch(err.Error()); m != nil {
			return &templateError{fmt.Sprintf("prompt template, line %s, %s: "+words, m[1], m[3], m[4]), err}
		}
	}
	return fmt.Errorf("prompt template: %w", err)
}
