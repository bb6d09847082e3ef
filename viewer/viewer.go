// Package viewer is the page that shows runs, and what it asks: `parley ui`.
//
//	viewer.go    the server and its routes
//	guard.go     who may ask, and from where
//	reply.go     answers and errors
//	encode.go    values as JSON, whatever numbers they have
//	page.go      the page itself, which is in the binary
//	runs.go      routes about runs
//	episodes.go  routes about episodes
//	steer.go     what is started and stopped, and swaps
//	ask.go       questions to a run's team
//	contribution.go  what its agents contribute
//	live.go      what changes, as server-sent events
//	export.go    the same page with one run in it, as one file
//
// Package show reads runs, package episodes their episodes, package explain says how numbers came about, package swap plays problems again, package
// ask asks a team, package tokens computes what is not recorded of tokens, package jobs does what is started here.
//
// The trainer is the only one that writes to a run. The server reads: it takes no lock, follows no link, and holds no file open. What it
// keeps in memory is bounded. What people write about runs lies beside the runs. Everything in a run may be hostile: it is sent as JSON,
// and never as a page.
package viewer

import (
	"io/fs"
	"net/http"
	"sync"
	"time"

	"parley/recipe"
	"parley/train/lineup"
	"parley/viewer/episodes"
	"parley/viewer/jobs"
	"parley/viewer/show"
	"parley/viewer/tokens"
)

// Options are what a server is told.
type Options struct {
	Root     string // the runs folder
	Token    string
	Version  string
	ReadOnly bool
	Language *recipe.Language
	Files    fs.FS         // the built page: index.html and what it names
	Hosts    []string      // names and addresses that the page may be asked for by, beside those of this machine
	Poll     time.Duration // how often a run is looked at for somebody who watches it
	Backend  lineup.Backend
	Jobs     *jobs.Queue // what is started from the page; nil: nothing is
}

// A Server shows the runs of a folder.
type Server struct {
	options Options
	root    *show.Root
	vocab   tokens.Vocabularies

	mu     sync.Mutex
	stores map[string]*opened // by the folder of the run
	order  []string
	live   int // streams of events

	listing listing
	recipes func() []*recipe.Recipe // that are shipped, read once: to read all of them takes a second
}

// opened are the episodes of a run that somebody looked at.
type opened struct {
	*episodes.Store
	created string // a run of the same name that was begun later is another one
}

// New makes a server. It reads nothing yet.
func New(o Options) *Server {
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	return &Server{options: o, root: show.Open(o.Root), stores: map[string]*opened{}, recipes: sync.OnceValue(func() []*recipe.Recipe { return o.Language.Shipped() })}
}

// mostStores is of how many runs episodes are kept in memory.
const mostStores = 2

// store are the episodes of a run.
func (s *Server) store(id string) (*episodes.Store, error) {
	dir, err := s.root.Path(id)
	if err != nil {
		return nil, err
	}
	row, err := s.root.Row(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.stores[dir]; ok && o.created == row.Created {
		return o.Store, nil
	}
	for len(s.order) >= mostStores {
		delete(s.stores, s.order[0])
		s.order = s.order[1:]
	}
	o := &opened{episodes.Open(dir), row.Created}
	s.stores[dir], s.order = o, append(s.order, dir)
	return o.Store, nil
}

// Handler serves the page and all routes.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, f := range map[string]func(*http.Request) (any, error){
		"GET /api/session":                                    s.session,
		"GET /api/runs":                                       s.runs,
		"GET /api/runs/{id}":                                  s.run,
		"GET /api/runs/{id}/metrics":                          s.metrics,
		"GET /api/runs/{id}/recipe":                           s.recipe,
		"GET /api/runs/{id}/diagnostics":                      s.diagnostics,
		"GET /api/runs/{id}/timeline":                         s.timeline,
		"GET /api/runs/{id}/costs":                            s.costs,
		"GET /api/compare":                                    s.compare,
		"GET /api/keys":                                       s.keys,
		"GET /api/studies":                                    s.studies,
		"GET /api/studies/{id}":                               s.study,
		"GET /api/runs/{id}/episodes":                         s.episodes,
		"GET /api/runs/{id}/distributions":                    s.distributions,
		"GET /api/runs/{id}/episodes/{update}/{index}":        s.episode,
		"GET /api/runs/{id}/episodes/{update}/{index}/tokens": s.tokens,
		"GET /api/runs/{id}/problems":                         s.problems,
		"GET /api/runs/{id}/problem":                          s.problem,
		"GET /api/runs/{id}/answers":                          s.answers,
		"GET /api/runs/{id}/answers/{number}":                 s.dialogues,
		"GET /api/recipes":                                    s.shippedRecipes,
		"GET /api/recipes/{name}":                             s.shipped,
		"POST /api/recipe/check":                              s.check,
		"GET /api/queue":                                      s.queue,
		"GET /api/runs/{id}/swaps":                            s.swaps,
		"GET /api/runs/{id}/questions":                        s.questions,
		"GET /api/runs/{id}/contribution":                     s.contribution,
		"POST /api/start":                                     s.write(s.start),
		"POST /api/runs/{id}/stop":                            s.write(s.stop),
		"POST /api/runs/{id}/resume":                          s.write(s.resume),
		"POST /api/runs/{id}/swap":                            s.write(s.swap),
		"POST /api/runs/{id}/ask":                             s.write(s.ask),
		"POST /api/runs/{id}/tokens":                          s.write(s.computeTokens),
		"POST /api/runs/{id}/contribution":                    s.write(s.contribute),
		"DELETE /api/queue/{job}":                             s.write(s.cancel),
		"PUT /api/runs/{id}/note":                             s.write(s.note),
	} {
		mux.HandleFunc(pattern, s.answer(f))
	}
	mux.HandleFunc("GET /api/runs/{id}/pictures/{name}", s.raw(s.picture))
	mux.HandleFunc("GET /api/runs/{id}/episodes/{update}/{index}/text", s.raw(s.text))
	mux.HandleFunc("GET /api/runs/{id}/events", s.raw(s.watchRun))
	mux.HandleFunc("GET /api/events", s.raw(s.watchRuns))
	mux.HandleFunc("/api/", s.answer(func(r *http.Request) (any, error) {
		return nil, &failure{http.StatusNotFound, "not_found", "there is nothing at " + short(r.URL.Path)}
	}))
	mux.HandleFunc("/", s.page)
	return s.guard(mux)
}
