package eval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/rl/eval"
	"parley/rl/loss"
)

// A star is a toy of a leader with three frozen peers. Tasks are of six kinds; of each kind one peer is a specialist, the others are weak, and all who
// are wrong about a row say the same. The leader follows one of them or answers itself, by a softmax for each kind.
type star struct {
	r     *rand.Rand
	right [6][3]float64 // chance of each peer
}

const alone = .4 // chance that the leader's own answer is right

func newStar(r *rand.Rand) *star {
	s := &star{r: r}
	for kind := range s.right {
		for peer := range s.right[kind] {
			s.right[kind][peer] = .15 + .3*r.Float64()
		}
		s.right[kind][r.IntN(3)] = .85
	}
	return s
}

// A cached task has the verdicts on its proposals, which were drawn once, and the rows that stand together in a prompt.
type cached struct {
	kind     int
	verdicts eval.Proposals
	rows     [][]int
}

// draw makes the cache: tasks that teach little are left out.
func (s *star) draw(tasks int) (out []cached) {
	for range tasks {
		c := cached{kind: s.r.IntN(6), verdicts: make(eval.Proposals, 3)}
		for peer := range c.verdicts {
			for range 4 {
				c.verdicts[peer] = append(c.verdicts[peer], s.r.Float64() < s.right[c.kind][peer])
			}
		}
		if c.rows = c.verdicts.Rows(.75); len(c.rows) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// train returns the leader after some steps of the group-relative loss, without the standard deviation. No peer is asked.
func (s *star) train(t *testing.T, tasks []cached, steps, batch, group int, rate float64) (logits [6][4]float64) {
	objective := loss.ClippedGroup{Clip: loss.Clip{Low: .2, High: .2}, Divisor: 1}
	for range steps {
		var step [6][4]float64
		for range batch {
			c := tasks[s.r.IntN(len(tasks))]
			row, p := c.rows[s.r.IntN(len(c.rows))], softmax(logits[c.kind])
			choices, rewards, logps := make([]int, group), make([]float64, group), make([][]float64, group)
			for g := range group {
				choices[g] = s.choose(p)
				logps[g] = []float64{math.Log(p[choices[g]])}
				if k := choices[g]; k == 3 && s.r.Float64() < alone || k < 3 && c.verdicts[k][row[k]] {
					rewards[g] = 1
				}
			}
			got, err := objective.Of(rewards, logps, logps)
			if err != nil {
				t.Fatal(err)
			}
			for g, k := range choices {
				for j := range p {
					one := 0.0
					if j == k {
						one = 1
					}
					step[c.kind][j] -= got.Grads[g][0] * (one - p[j])
				}
			}
		}
		for kind := range logits {
			for j := range logits[kind] {
				logits[kind][j] += rate * step[kind][j] / float64(batch)
			}
		}
	}
	return logits
}

func (s *star) choose(p [4]float64) int {
	x := s.r.Float64()
	for k := range 3 {
		if x -= p[k]; x < 0 {
			return k
		}
	}
	return 3
}

func softmax(x [4]float64) (p [4]float64) {
	sum := 0.0
	for i := range x {
		p[i] = math.Exp(x[i])
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// scores are exact means over kinds: of a vote of the peers, which is right where two of them are, of the best peer, of the leader, and of the best
// choice for each kind.
func (s *star) scores(logits [6][4]float64) (vote, peer, leader, oracle float64) {
	var peers [3]float64
	for kind, r := range s.right {
		vote += (r[0]*r[1] + r[0]*r[2] + r[1]*r[2] - 2*r[0]*r[1]*r[2]) / 6
		p := softmax(logits[kind])
		leader += (p[0]*r[0] + p[1]*r[1] + p[2]*r[2] + p[3]*alone) / 6
		oracle += max(r[0], r[1], r[2], alone) / 6
		for i := range peers {
			peers[i] += r[i] / 6
		}
	}
	return vote, max(peers[0], peers[1], peers[2]), leader, oracle
}

// TestLeader: a leader that is trained on cached proposals is better than a vote and than the best peer, and no better than the best choices.
func TestLeader(t *testing.T) {
	for seed := range uint64(10) {
		s := newStar(rand.New(rand.NewPCG(seed, 39)))
		vote, peer, leader, oracle := s.scores(s.train(t, s.draw(600), 400, 16, 8, 8))
		t.Logf("seed %d: vote %.2f, best peer %.2f, leader %.2f, oracle %.2f", seed, vote, peer, leader, oracle)
		if leader < vote+.05 || leader < peer+.05 || leader > oracle+.02 {
			t.Errorf("seed %d: vote %.3f, best peer %.3f, leader %.3f, oracle %.3f", seed, vote, peer, leader, oracle)
		}
	}
}
