package tables

import (
	"iter"

	"parley/rl/rollout"
	"parley/viewer/episodes"
	"parley/viewer/tokens"
)

// tokenColumns are those of a token. From before on, they are what a run does not record.
var tokenColumns = []string{
	`"update" INTEGER`, "episode INTEGER", "node INTEGER", "agent INTEGER", "completion INTEGER", "position INTEGER", "token INTEGER", "text TEXT", "logprob REAL", "advantage REAL",
	"before REAL", "entropy REAL", "reference REAL", "kl REAL", "after REAL", "ratio REAL", "clipped INTEGER",
}

// tokens makes rows of every token of the updates in a range: what is recorded, and what was computed and kept with the run.
func (r reader) tokens(from, to int) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		kept, err := tokens.OpenKept(r.dir)
		if err != nil {
			yield(nil, err)
			return
		}
		defer kept.Close()
		each := r.each(func(e *rollout.Episode, r reader, yield func([]any) bool) bool {
			var computed *tokens.Result
			if computed, err = kept.Of(e.Update, e.Index); err != nil {
				return false
			}
			return tokenRows(e, r, computed, yield)
		})
		each(from, to)(yield)
		r.left.add(kept.Damaged())
		if err != nil {
			yield(nil, err)
		}
	}
}

// tokenRows are those of an episode. computed may be nil.
func tokenRows(e *rollout.Episode, r reader, computed *tokens.Result, yield func([]any) bool) bool {
	return answers(e, func(node int, a *rollout.AgentTurn, i int) bool {
		c, v := &a.Completions[i], r.known.Of(r.bases, a.Agent)
		var d episodes.Derived
		if found := computed.Of(c, tokens.Place{Node: node, Agent: a.Agent, Completion: i}); found != nil {
			d = found.Derived
		}
		for p, id := range c.Tokens {
			var written, clipped any
			if v != nil {
				piece, _ := v.Piece(id)
				written = episodes.Visible(piece)
			}
			if p < len(d.Clipped) {
				clipped = d.Clipped[p]
			}
			advantage := at(d.Advantage, p)
			if advantage == nil && !r.team.Critic() && (r.team.Groups || c.Advantage != 0) { // a critic gives tokens their own
				advantage = c.Advantage
			}
			row := []any{
				e.Update, e.Index, node, a.Agent + 1, i, p, id, written, at(c.Logprobs, p), advantage,
				at(d.Policy, p), at(d.Entropy, p), at(d.Reference, p), at(d.KL, p), at(d.After, p), at(d.Ratio, p), clipped,
			}
			if !yield(row) {
				return false
			}
		}
		return true
	})
}

// at is the number of a token, if there is one.
func at[F float32 | float64](list []F, i int) any {
	if i >= len(list) {
		return nil
	}
	return float64(list[i])
}
