package datacmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/task/sandbox"
)

// played is a runner whose programs say what is to become of them.
type played struct{ lost int }

func (p *played) Run(_ context.Context, program sandbox.Program) (sandbox.Result, error) {
	switch code := program.Argument.(string); code {
	case "slow":
		return sandbox.Result{Status: sandbox.TimedOut}, nil
	case "raise":
		return sandbox.Result{Status: sandbox.Exited, Code: 1}, nil
	case "lost":
		p.lost++
		return sandbox.Result{Status: sandbox.Lost}, nil
	case "nothing":
		return sandbox.Result{Status: sandbox.Exited, Stdout: []byte("\n{\"value\": null}")}, nil
	case "no sandbox":
		return sandbox.Result{}, errors.New("closed")
	default:
		return sandbox.Result{Status: sandbox.Exited, Stdout: fmt.Appendf(nil, "x\n{\"value\": %q}", code)}, nil
	}
}

func TestPrepare(t *testing.T) {
	runner := &played{}
	codes := []string{"slow", "raise", "lost", "nothing", "108", "2.5", "2.3333333333333335"}
	for n := range batch {
		codes = append(codes, fmt.Sprint(n))
	}
	var got []string
	counts, err := prepareAll(t.Context(), runner, func(each func(Record) error) error {
		for i, code := range codes {
			if err := each(Record{fmt.Sprint("q", i), code}); err != nil {
				return err
			}
		}
		return nil
	}, func(p Prepared) error {
		got = append(got, p.Question+"="+p.Answer.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "q4=108 q5=2.5 q7=0 q8=1"; !strings.HasPrefix(strings.Join(got, " "), want) || len(got) != batch+2 {
		t.Errorf("%d kept: %s…, want %s…", len(got), got[:4], want)
	}
	want := "258 of 263 programs gave an answer; 1 ran too long; 2 failed; 1 returned no number; 1 returned a number that has no short decimal form"
	if counts.String() != want || runner.lost != tries {
		t.Errorf("%s, want %s; %d tries", counts, want, runner.lost)
	}
	if _, _, err := answerOf(t.Context(), runner, "no sandbox"); err == nil {
		t.Error("no error without a sandbox")
	}
}

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"30": "30", "-7": "-7", "2.50": "2.5", "30.0": "30", "0.30000000000000004": "0.3", "1e3": "1000", "-0.0": "0", "123456789012345678901": "123456789012345678901",
		"2.3333333333333335": "", "nan": "", "inf": "", "-inf": "", "1e300": "", "1e-7": "",
	} {
		if got, failure := decimal(text); got.String() != want || (failure == "") != (want != "") {
			t.Errorf("%s: %q %q, want %q", text, got, failure, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, data := range []string{`{"question":"q"}`, `{"code":"c"}`, `{`, `[]`} {
		if _, err := readRecord([]byte(data)); err == nil {
			t.Errorf("%s was read", data)
		}
	}
}

// What is kept is a number that JSON can hold.
func FuzzDecimal(f *testing.F) {
	for _, text := range []string{"30", "-2.50", "1e3", "0.1", "inf", "12345678901234567890"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		answer, failure := decimal(text)
		if _, err := json.Marshal(Prepared{"q", answer}); failure == "" && err != nil {
			t.Errorf("%q is %q: %v", text, answer, err)
		}
	})
}
