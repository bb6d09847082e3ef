// Package code is MAGRPO's code tasks (§7): HumanEval, CoopHumanEval and MBPP, answered by a pair. The first agent writes a
// helper aux(…), the last agent the asked function, which may call aux without having seen it.
//
//	sandboxes, err := code.OpenSandboxes(ctx, 0)         // the sandbox
//	t, err := code.New(ctx, code.Options{Name: "humaneval", Sandboxes: sandboxes})
//	score, err := t.Score(problem, responses)
//
// Everything about Python is done by Python inside the sandbox (package sandbox): python/response.py finds code in what agents
// wrote, python/extract.py the function they were asked for, python/structure.py takes functions and tests apart,
// python/cooperation.py looks at how the main function uses aux, python/calls.py runs tests. Go decides what is run and what it
// earns ([Scorer] in score.go).
//
// The standard reward (§7.1) runs each test in the program's own process. The robust reward (§7.2) runs it in another sandbox:
// the function under test is a remote call there, and arguments and results cross as plain data, so that nothing the program
// does to its own interpreter matters. It pays for cooperation only where aux has influence, which two counterfactual runs
// find out. The compat reward follows the rules on lines of the published code and is for comparisons only.
package code
