package diagnose

// CheckHacking compares the training reward over a window with a robust audit of the same joint actions: the training
// reward rose (mean of the last quarter minus mean of the first) by at least 5 % of the maximum while the audit rose by at
// most a quarter of that; or at least 20 % of samples carry a flag. Either input may be empty.
func CheckHacking(train, audit []float64, flagged []bool, maximum float64) Finding {
	f := Finding{Kind: RewardHacking}
	if len(train) > 0 && len(audit) > 0 {
		rise := quarterRise(train)
		f.checkIf(rise >= 0.05*maximum-slack, Check{Rule: "audit_gap", Value: quarterRise(audit), Sense: AtMost, Threshold: 0.25 * rise}, nil)
	}
	if len(flagged) > 0 {
		f.check(Check{Rule: "flag_share", Value: share(flagged), Sense: AtLeast, Threshold: 0.2}, where(flagged, true))
	}
	return f
}

// quarterRise is the mean of the last quarter minus that of the first; a quarter holds at least one value.
func quarterRise(x []float64) float64 {
	q := max(len(x)/4, 1)
	return mean(x[len(x)-q:]) - mean(x[:q])
}

// CheckStructure looks for data without anything to cooperate on: fewer than 20 % of items gain at least 0.05 task score
// (0 to 1, without cooperation bonus) from the joint over the solo answer.
func CheckStructure(joint, solo []float64) Finding {
	f := Finding{Kind: NoCooperativeStructure}
	gains := make([]bool, len(joint))
	for i := range joint {
		gains[i] = joint[i]-solo[i] >= 0.05-slack
	}
	if len(gains) > 0 {
		f.check(Check{Rule: "few_items_gain", Value: share(gains), Sense: Below, Threshold: 0.2}, where(gains, false))
	}
	return f
}
