package learn

// A Kind says what an algorithm learns from. Rollouts are made accordingly.
type Kind string

const (
	Debates       Kind = "debates"        // every agent gives one completion a turn
	GroupRelative Kind = "group-relative" // advantages compare the completions of a group (MAGRPO §2.3)
	ActorCritic   Kind = "actor-critic"   // turns are compared with what a critic expects (MAGRPO §5)
	Preferences   Kind = "preferences"    // pairs of joint responses, of many candidates (MAGRPO §5)
)

// An Algorithm is an entry of the register: a way to learn, by its name in a recipe.
type Algorithm struct {
	Name  string
	About string // one sentence without its full stop
	Kind  Kind
	// FromUntrained says that the episodes are those of the untrained team.
	FromUntrained bool
	// Critics says which value heads the algorithm trains under some settings; nil: none.
	Critics func(settings []any) Critics
	New     func(Config) (Learner, error)
}
