package reward

import "fmt"

// Feedback says in words what a verifier's raw score in [0, 1] means (§1.2). It suits own and others' answers alike.
func Feedback(score float64) string {
	switch {
	case score < 0.3:
		return "this answer is very probably wrong."
	case score < 0.6:
		return "this answer may be wrong, or its reasoning needs a stronger argument."
	case score < 0.8:
		return "this answer looks right, but its reasoning should be checked once more."
	}
	return "this answer is very probably right."
}

// ScoreText is the form in which prompts give a raw score: three decimals and what they mean (§1.2).
func ScoreText(score float64) string {
	return fmt.Sprintf("%.3f out of 1.0, which means %s", score, Feedback(score))
}

// OwnFeedback is the sentence that tells an agent the score of its own answer (§1.2, item 3).
func OwnFeedback(score float64) string {
	return "Reward from a verifier of your answer: " + ScoreText(score)
}

// ScoresExplained follows the list of the other agents' answers and scores (§1.2, item 4).
const ScoresExplained = "Here, each reward represents the probability that a suggested answer is correct, as evaluated by a verifier. " +
	"The reward value is between 0 and 1, with values closer to 1 indicating a higher likelihood of correctness. " +
	"While these rewards offer useful context, they are not always perfect, though generally quite reliable."
