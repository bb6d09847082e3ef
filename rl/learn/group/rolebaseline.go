package group

import (
	"maps"

	"parley/rl/credit"
	"parley/rl/learn"
)

// compareWithPast compares what each agent earned in an episode, all of it and undiscounted, with the moving average of its role:
//
//	A = R − b,  then  b ← d·b + (1−d)·R                     R = Σ_u r_iu of the whole episode
//
// in the order of problems and episodes. Every message of the agent has A, discounted by the messages that it still has to say: the i-th of n has
// γ^(n−1−i)·A. Unlike a group's mean, b does not hang on the other episodes of the problem, so that one is enough.
func (l *learner) compareWithPast(problems []said, stats *learn.Stats) error {
	rule := l.credit.Roles(l.settings.Gamma())
	games, roles := l.games(problems, true)
	advantages, err := rule.Update(l.averages, games)
	if err != nil {
		return err
	}
	at := 0
	for _, p := range problems {
		for e, messages := range p.messages {
			for r, agent := range roles[at] {
				moves := rule.Moves(advantages[at][r], games[at].Roles[r].Moves)
				for k, m := range messages {
					if m.Agent == agent {
						p.completions[e][k].Advantage = moves[m.Turn]
					}
				}
			}
			at++
		}
	}
	stats.RoleBaselines = map[string]float64{}
	for key, a := range l.averages {
		stats.RoleBaselines[key] = a.Value
	}
	return nil
}

// games are the episodes of all problems with what the roles earned, and the agents who play them. Agents that never spoke have earned something
// all the same: their roles' averages move. learners leaves out what opponents earned.
func (l *learner) games(problems []said, learners bool) (games []credit.Game, agents [][]int) {
	for _, p := range problems {
		for e, messages := range p.messages {
			game := credit.Game{Name: l.Game, Failed: p.earned[e] == nil}
			var who []int
			for agent, total := range p.earned[e] {
				if learners && p.opponents[e] == agent {
					continue
				}
				role := credit.Role{Name: l.RoleName(agent), Reward: total}
				for _, m := range messages {
					if m.Agent == agent {
						role.Moves++
					}
				}
				game.Roles, who = append(game.Roles, role), append(who, agent)
			}
			games, agents = append(games, game), append(agents, who)
		}
	}
	return games, agents
}

// countZeroSum counts the episodes whose rewards do not add up to 0, where that was promised.
func (l *learner) countZeroSum(problems []said, stats *learn.Stats) {
	if !l.credit.ZeroSum {
		return
	}
	games, _ := l.games(problems, false)
	broken := 0
	for _, g := range games {
		if !g.Failed && !g.ZeroSum() {
			broken++
		}
	}
	stats.NotZeroSum = &broken
}

// Averages implements [learn.Remembering].
func (l *learner) Averages() learn.Averages { return maps.Clone(l.averages) }

// Remember implements [learn.Remembering].
func (l *learner) Remember(a learn.Averages) {
	l.averages = learn.Averages{}
	maps.Copy(l.averages, a)
}
