package reward

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
