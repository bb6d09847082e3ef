// Package reward turns scores of texts into the rewards that agents are trained with. It is pure: numbers and texts in,
// numbers out. What the scores are, a verifier's probabilities or a task's joint reward, is decided elsewhere.
//
// MAPoRL rewards every answer of a debate in four steps (section numbers are those of docs/maporl.md; [Scheme] takes all of them):
//
//	flags.go       which answers earn a penalty: no box, too short, repetitive, text after the box (§2.1)
//	processor.go     the penalty replaces the score, before or after the design (§2.1)
//	design.go      how later scores reach back to earlier answers: immediate, cumulative, influence-aware (§2.2)
//	incentive.go   bonuses for changing one's mind, and others' minds, for the better (§2.3)
//
// Beside these stand feedback.go, what a prompt tells an agent about a score (§1.2), consensus.go, when a question ends
// early (§1.2), and processor.go, the transformations of a joint reward that MAGRPO's recipes use (MAGRPO §17).
//
// A debate is a list of [Turn]s, and each of them a list of [Answer]s with their agents named: an agent that did not speak in a turn has no
// answer there. What is returned for it is indexed alike, [turn][speaker]. No function keeps or changes its arguments.
package reward

import (
	"strings"
	"unicode"

	"parley/task/answer"
)

// A Flag is a reason to penalise an answer (§2.1).
type Flag string

const (
	NoBox        Flag = "no_box"         // no complete \boxed{…}
	TooShort     Flag = "too_short"      // too few tokens before the first end token
	Repetitive   Flag = "repetition"     // a short run of tokens again and again
	TextAfterBox Flag = "text_after_box" // anything but white space after the last box
	NoReasoning  Flag = "no_reasoning"   // a judge found no reasoning (NLI only; see ReasoningQuestion)
)

// Repetition says when a run of tokens counts as repeated too often: MaxRepeats+1 copies or more without gap, of any length
// from MinLen to MaxLen tokens.
type Repetition struct {
	MinLen     int `json:"min_len"`
	MaxLen     int `json:"max_len"`
	MaxRepeats int `json:"max_repeats"`
}

// FlagRules says what is flagged. The zero value flags nothing.
type FlagRules struct {
	Box        bool       `json:"box"`        // flag NoBox; off for turn 1 when turn 1 is not trained
	MinTokens  int        `json:"min_tokens"` // flag TooShort below this many
	Repetition Repetition `json:"repetition"` // flag Repetitive; MaxLen 0: off
	AfterBox   bool       `json:"after_box"`  // flag TextAfterBox
}

// A Completion is what was sampled for one answer, up to the first end token, which is left out.
type Completion struct {
	Text   string
	Tokens []int
	Decode func(tokens []int) string // text of some of the tokens; asked only for repeated runs
}

// Flags returns the reasons to penalise an answer; none is nil.
func (r FlagRules) Flags(c Completion) []Flag {
	var flags []Flag
	box, boxed := answer.LastBox(c.Text)
	if r.Box && !boxed {
		flags = append(flags, NoBox)
	}
	if len(c.Tokens) < r.MinTokens {
		flags = append(flags, TooShort)
	}
	if r.Repetition.MaxLen > 0 && Repeats(c.Tokens, r.Repetition, c.Decode) {
		flags = append(flags, Repetitive)
	}
	if r.AfterBox && boxed && strings.TrimSpace(c.Text[box.End:]) != "" {
		flags = append(flags, TextAfterBox)
	}
	return flags
}

// Repeats reports whether a run of tokens occurs more than r.MaxRepeats times in a row. Runs whose decoded text, trimmed, is
// all digits are exempt: numbers may repeat.
func Repeats[T comparable](tokens []T, r Repetition, decode func(run []T) string) bool {
	for length := max(1, r.MinLen); length <= r.MaxLen; length++ {
		equal := 0 // tokens in a row, up to i, that equal the one a run earlier
		for i := length; i < len(tokens); i++ {
			if tokens[i] != tokens[i-length] {
				equal = 0
				continue
			}
			if equal++; equal < length*r.MaxRepeats {
				continue
			}
			if !allDigits(strings.TrimSpace(decode(tokens[i+1-length : i+1]))) {
				return true
			}
		}
	}
	return false
}

func allDigits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// ReasoningQuestion asks a judge, the base model without adapters, whether an answer to an NLI problem reasons at all (§2.1).
func ReasoningQuestion(answer string) string {
	return "Here is an answer to a question:\n\n" + answer +
		"\n\nDoes this answer give a reason for its conclusion, whether the conclusion is correct or not? Reply with yes or no only."
}

// FoundNoReasoning reads the judge's reply: an answer is flagged [NoReasoning] only by a clear no.
func FoundNoReasoning(reply string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.ToLower(reply), " \t\r\n\"'*"), " ")
	return strings.TrimRight(word, ".,;:!\"'*\r\n\t") == "no"
}
