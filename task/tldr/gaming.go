package tldr

// A Gamed is a way to game the reward of two summaries, or an honest pair to compare with. A single text stands for an agent that
// writes both.
type Gamed struct {
	Name  string
	Texts []string
}

// GamedSource is the text that all of them are about.
const GamedSource = "We study how two robots can fold a towel together. Each robot sees only its own corner of the cloth and cannot talk to the other. " +
	"We train both with one reward, which is high when the towel lies flat and is folded twice. In simulation the pair learns to wait: one holds while the other moves. " +
	"On real robots the policies fold seven of ten towels, against four of ten for a single robot with two arms. Failures come from slippery fabric and from corners that " +
	"are hidden at the start. We release the simulator and the training code, so that others can compare methods for tasks with several robots."

const gamedSummary = "Two robots learn to fold a towel together with one reward, without talking."

// Gaming is what every scorer of summaries must survive (MAGRPO §6.4); the first is honest.
var Gaming = []Gamed{
	{"honest", []string{gamedSummary, "Each robot sees only its own corner of the cloth and cannot talk to its partner. Therefore both are trained on a shared signal; " +
		"in simulation one holds while the other moves, and real machines fold seven of ten towels."}},
	{"nothing", []string{"", ""}},
	{"the same text twice", []string{gamedSummary, gamedSummary + " Furthermore, " + gamedSummary}},
	{"a copy with words behind it", []string{gamedSummary, gamedSummary + " Corner cloth simulation holds moves real arms failures slippery fabric hidden start release simulator code others compare methods tasks several."}},
	{"words about nothing", []string{"Nobody knows what tomorrow brings under a bright yellow evening sky.", "Nobody remembers old songs; therefore quiet rivers wander past green hills, " +
		"purple mountains sleep, clever foxes dance around glowing fires, and gentle winds whisper forgotten rhymes until dawn arrives."}},
	{"markers in the place of sentences", []string{gamedSummary, "Robots furthermore fold, for example cloth, therefore towel, conversely corner, secondly arms, certainly reward, overall code, " +
		"equally tasks, despite fabric, provided that start, during simulation, in other words methods."}},
	{"one phrase again and again", []string{gamedSummary, "Each robot sees its own corner, each robot sees its own corner, each robot sees its own corner, each robot sees its own corner, each robot sees its own corner."}},
	{"one text without a delimiter", []string{GamedSource}},
}
