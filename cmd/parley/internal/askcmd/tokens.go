package askcmd

import (
	"errors"
	"fmt"
	"io"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/internal/terminal"
	"parley/train/passrate"
	"parley/viewer/episodes"
	"parley/viewer/tokens"
)

// Tokens is the verb run tokens.
type Tokens struct {
	Run_    string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Update  int    `arg:"" name:"update" help:"Update that the episode is of, from 1."`
	Episode *int   `arg:"" name:"episode" optional:"" help:"Its number in the update, from 0. Default: all of the update."`
	Trust   bool   `name:"trust" help:"Open the run though it was made elsewhere and its recipe runs programs, asks servers or writes files. They are listed without the flag."`
	JSON    bool   `name:"json" help:"Print one JSON object {\"episodes\":[…]}."`

	cli.Moved
}

func (Tokens) Help() string {
	return `Computes what a run does not record of single tokens, from its checkpoints and on this machine's engine. Of each token of an answer:

    entropy    of the distribution that it was drawn from, exact, in nats: with the temperature, the masks and the cuts of sampling
    policy     its log-probability under the policy before the update; reference: under the base
    kl         the term of the algorithm's own estimator of the distance from the base, before its coefficient
    advantage  what it was reinforced with; with a critic, tokens have advantages of their own
    ratio      of its probabilities, after the update over the one that it was drawn with
    clipped    whether the algorithm's bound on the ratio makes a difference at that ratio

The checkpoint before the update must be there. Where that after it is gone, the update is learned again from its episodes. Results are kept in tokens.jsonl of the run, and ` + "`parley ui`" + ` shows them. In a run that cannot be written they are printed only, and a note says so.

Examples:

    parley run tokens debate-sums-s1 40 0
    parley run tokens magrpo-tiny-s1 1 --json

Exit codes: 0 computed; 1 it could not be computed, because a checkpoint is gone for instance; 2 there is no such run or episode, or its algorithm or engine has no such numbers.`
}

func (c *Tokens) Run(a *cli.App) error {
	dir, err := cli.FindOne(c.Run_, "parley", "run", "tokens")
	if err != nil {
		return err
	}
	var which []int
	if c.Episode != nil {
		which = []int{*c.Episode}
	}
	o := tokens.Options{Dir: dir, Language: a.Language, Backend: native.Backend{}, Trust: c.Trust, Moved: c.Set, Now: time.Now, Keep: passrate.KeepKnown}
	results, err := tokens.Compute(a.Ctx, o, c.Update, which...)
	if errors.As(err, new(*episodes.NoneError)) {
		return cli.Usagef("%v", err)
	}
	if err := unkept(a, err); err != nil {
		return err
	}
	shown, err := tokensOf(dir, results)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"episodes": shown})
	}
	if len(shown) > 0 && shown[0].After != "" {
		a.Sayf("the policies after the update: %s\n", shown[0].After)
	}
	return a.Table(func(w io.Writer) {
		cli.Row(w, "answer", "token", "text", "log-probability", "entropy", "KL", "advantage", "ratio", "clip")
		for _, e := range shown {
			for _, said := range e.Answers {
				printTokens(w, e, said)
			}
		}
	})
}

// tokensOfEpisode is an episode, answer by answer.
type tokensOfEpisode struct {
	Update  int           `json:"update"`
	Index   int           `json:"index"`
	After   string        `json:"after"`
	Answers []tokenAnswer `json:"answers"`
}

type tokenAnswer struct {
	tokens.Place
	tokens.Strip
}

// tokensOf puts what was computed beside what is recorded.
func tokensOf(dir string, results []tokens.Result) (out []tokensOfEpisode, err error) {
	var known tokens.Vocabularies
	bases, store := tokens.BasesOf(dir), episodes.Open(dir)
	for _, r := range results {
		e, _, _, err := store.Read(r.Update, r.Index)
		if err != nil {
			return nil, err
		}
		x := tokensOfEpisode{r.Update, r.Index, r.After, []tokenAnswer{}}
		for _, computed := range r.Answers {
			at := computed.Place
			turn, said, err := episodes.Find(e, at.Solo, at.Node, at.Agent, at.Completion)
			if err != nil {
				return nil, err
			}
			x.Answers = append(x.Answers, tokenAnswer{at, tokens.Found{Result: &r}.Strip(known.Of(bases, turn.Agent), said, at)})
		}
		out = append(out, x)
	}
	return out, nil
}

// printTokens writes an answer, a row a token.
func printTokens(w io.Writer, e tokensOfEpisode, said tokenAnswer) {
	name := fmt.Sprintf("episode %d, node %d, agent %d, answer %d", e.Index, said.Node, said.Agent+1, said.Completion+1)
	if said.Solo {
		name += ", played alone"
	}
	for i, t := range said.Tokens.Tokens {
		text, clip := fmt.Sprintf("#%d", t.ID), "-"
		if t.Text != nil {
			text = terminal.Printable(fmt.Sprintf("%q", *t.Text))
		}
		if t.Clipped != nil {
			clip = map[bool]string{true: "active", false: "no"}[*t.Clipped]
		}
		cli.Row(w, name, i+1, text, numberOf(t.Logprob), numberOf(t.Entropy), numberOf(t.KL), numberOf(t.Advantage), numberOf(t.Ratio), clip)
		name = ""
	}
	for _, m := range said.Missing {
		cli.Row(w, "", "", "no "+m.Field+": "+m.Why)
	}
}

func numberOf(x *float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf("%.4g", *x)
}
