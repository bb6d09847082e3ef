package teamtest

import (
	"fmt"
	"slices"

	"parley/task/answer"
)

// Kinds of sources.
const (
	Output   = "agent"    // what an agent wrote in a round: its chain and its answer
	Solution = "solution" // the current solution of a review
	Feedback = "review"   // what a reviewer wrote beside it
)

// A Source is a text that a call shows beside the question.
type Source struct {
	Kind  string
	Agent int // of an output
	Round int // or how many reviewers had their turn
}

func (s Source) String() string {
	if s.Kind == Output {
		return fmt.Sprintf("%s%d@%d", s.Kind, s.Agent, s.Round)
	}
	return fmt.Sprintf("%s@%d", s.Kind, s.Round)
}

// A Call is one question to one agent.
type Call struct {
	Agent, Round int
	Sees         []Source // in the order of the prompt
}

// Teams are who plays which part.
type Teams struct {
	First, Second []int
	Judge         int
}

// Split makes two equal teams and a judge of shuffled agents. ok is false unless they are odd in number, and five at least.
func Split(order []int) (t Teams, ok bool) {
	if len(order) < 5 || len(order)%2 == 0 {
		return Teams{}, false
	}
	h := (len(order) - 1) / 2
	return Teams{First: order[:h], Second: order[h : 2*h], Judge: order[2*h]}, true
}

// Agreements between teams.
const (
	AgreeEvery = "every" // in every round that was played
	AgreeLast  = "last"  // in the last round
)

// Rules of a discussion.
type Rules struct {
	Rounds int    // the most
	Agree  string // AgreeEvery or AgreeLast
}

// Voices answer calls. ok is false where the answer is not there yet.
type Voices struct {
	Member func(Call) (a answer.Answer, ok bool)
	// Judge picks the first team, 1, or the second, 2; any other number is a verdict that could not be read.
	Judge func(Call) (verdict int, ok bool)
}

// An Outcome is how a discussion went.
type Outcome struct {
	Waiting    bool // for answers to calls that were made
	Rounds     [][2]answer.Answer
	JudgeCalls int
	Result     answer.Answer // not OK: there is none that could be read
}

// Play goes through a discussion. In every round the members of a team see what they and their mates said in the last round, and nothing of the
// other team. It ends when the members of each team agree. If both teams then have the same answer, no judge is asked.
func (r Rules) Play(t Teams, v Voices) Outcome {
	var out Outcome
	for round := range r.Rounds {
		var answers [2]answer.Answer
		settled := true
		for i, members := range [][]int{t.First, t.Second} {
			said := make([]answer.Answer, len(members))
			for m, agent := range members {
				var ok bool
				said[m], ok = v.Member(Call{agent, round, lastRound(members, agent, round)})
				out.Waiting = out.Waiting || !ok
			}
			b := answer.Plurality(said)
			answers[i] = b.Winner
			settled = settled && b.Votes == len(members)
		}
		if out.Waiting {
			return out
		}
		out.Rounds = append(out.Rounds, answers)
		if settled {
			break
		}
	}
	r.decide(t, v, &out)
	return out
}

// lastRound is what a member sees: its own output of the last round, then its mates'.
func lastRound(members []int, agent, round int) []Source {
	if round == 0 {
		return nil
	}
	out := []Source{{Output, agent, round - 1}}
	for _, mate := range members {
		if mate != agent {
			out = append(out, Source{Output, mate, round - 1})
		}
	}
	return out
}

// decide is the end of a discussion.
func (r Rules) decide(t Teams, v Voices, out *Outcome) {
	rounds := out.Rounds
	if r.Agree == AgreeLast {
		rounds = rounds[max(len(rounds)-1, 0):]
	}
	differ := func(a [2]answer.Answer) bool { return !a[0].OK || a[0] != a[1] }
	if len(rounds) > 0 && !slices.ContainsFunc(rounds, differ) {
		out.Result = rounds[len(rounds)-1][0]
		return
	}
	if len(rounds) == 0 {
		return
	}
	call := Call{Agent: t.Judge, Round: len(out.Rounds) - 1}
	for round := range out.Rounds {
		for _, agent := range slices.Concat(t.First, t.Second) {
			call.Sees = append(call.Sees, Source{Output, agent, round})
		}
	}
	verdict, ok := v.Judge(call)
	out.JudgeCalls, out.Waiting = 1, !ok
	if ok && (verdict == 1 || verdict == 2) {
		out.Result = out.Rounds[len(out.Rounds)-1][verdict-1]
	}
}
