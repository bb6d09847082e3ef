package datacmd

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/task/sandbox"
)

//go:embed python/result.py
var resultDriver string

// limits of one program. The longest number is far shorter than the output.
var limits = sandbox.Limits{Wall: 2 * time.Second, Memory: 256 << 20, Output: 8 << 10}

// A Runner runs programs without letting them do harm, such as a [sandbox.Pool].
type Runner interface {
	Run(ctx context.Context, p sandbox.Program) (sandbox.Result, error)
}

// A Failure is a program without an answer, by the fault of the program.
type Failure string

// Failures that a program can have.
const (
	TooSlow  Failure = "ran too long"
	Broke    Failure = "failed"
	NoNumber Failure = "returned no number"
	Endless  Failure = "returned a number that has no short decimal form"
)

// answerOf runs a program. A failure is "" where there is an answer; an error says that nothing could be run.
func answerOf(ctx context.Context, r Runner, code string) (json.Number, Failure, error) {
	result, err := runProgram(ctx, r, code)
	switch {
	case err != nil:
		return "", "", err
	case result.Status == sandbox.TimedOut:
		return "", TooSlow, nil
	case !result.OK():
		return "", Broke, nil
	}
	var returned struct{ Value *string }
	last := result.Stdout[strings.LastIndexByte(string(result.Stdout), '\n')+1:]
	if json.Unmarshal(last, &returned) != nil || returned.Value == nil {
		return "", NoNumber, nil
	}
	answer, failure := decimal(*returned.Value)
	return answer, failure, nil
}

// tries bounds how often a program is run whose worker is lost, which is the machine's fault or the program's.
const tries = 2

func runProgram(ctx context.Context, r Runner, code string) (result sandbox.Result, err error) {
	for range tries {
		result, err = r.Run(ctx, sandbox.Program{Source: resultDriver, Argument: code, Limits: limits})
		if err != nil || result.Status != sandbox.Lost {
			break
		}
	}
	return result, err
}

// places is how many digits behind the point an answer may have. Models are asked for numbers that a person would write.
const places = 6

// integer matches what Python and JSON both write.
var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// longest is how many characters a number may have.
const longest = 100

// decimal is the form of a Python number in which it can be compared: 30, 2.5; 0.30000000000000004 is 0.3.
func decimal(text string) (json.Number, Failure) {
	if len(text) > longest {
		return "", NoNumber
	}
	if integer.MatchString(text) {
		return json.Number(text), ""
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || math.Abs(x) > 1e15 {
		return "", NoNumber
	}
	short := strconv.FormatFloat(x, 'f', places, 64)
	if y, _ := strconv.ParseFloat(short, 64); math.Abs(x-y) > 1e-9*max(1, math.Abs(x)) {
		return "", Endless
	}
	short = strings.TrimSuffix(strings.TrimRight(short, "0"), ".")
	if short == "-0" {
		short = "0"
	}
	return json.Number(short), ""
}

// Prepared is a record of the prepared file.
type Prepared struct {
	Question string      `json:"question"`
	Answer   json.Number `json:"answer"`
}

// Counts say what became of the records.
type Counts struct {
	Records  int             `json:"records"`
	Prepared int             `json:"prepared"`
	Failures map[Failure]int `json:"failures"`
}

// String is the counts in a sentence.
func (c Counts) String() string {
	s := fmt.Sprintf("%d of %d programs gave an answer", c.Prepared, c.Records)
	for _, f := range []Failure{TooSlow, Broke, NoNumber, Endless} {
		if n := c.Failures[f]; n > 0 {
			s += fmt.Sprintf("; %d %s", n, f)
		}
	}
	return s
}
