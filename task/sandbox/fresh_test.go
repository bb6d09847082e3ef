//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/task/sandbox/hostile"
)

// look prints all that a program can find of its surroundings.
const look = `
import builtins, gc, os, random, resource, signal, socket, string, sys, threading
def tried(f, *args):
    try:
        return f(*args)
    except OSError as e:
        return e.errno
s, v = os.stat('/tmp'), os.statvfs('/tmp')
os.mkdir('/tmp/x')
open('/tmp/x/y', 'w').write('y')
print(os.listdir('/tmp'), os.getcwd(), (oct(s.st_mode), s.st_uid, s.st_gid, s.st_nlink, s.st_size), (v.f_blocks, v.f_bfree), oct(os.stat('/tmp/x').st_mode), os.stat('/tmp/x').st_gid,
    sorted(os.environ.items()), sys.argv, sys.path, hash('x'), random.random(), len(sys.modules), sorted(vars(builtins)), sys.getrecursionlimit(), abs(-1), string.digits,
    os.umask(0o22), [signal.getsignal(n) for n in range(1, 65) if n not in (32, 33)], signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.getitimer(signal.ITIMER_REAL),
    [resource.getrlimit(k) for k in range(16)], argument and id(object()), gc.isenabled(), gc.get_count()[1:], gc.get_freeze_count(), len(gc.get_objects()), os.sched_getaffinity(0),
    os.getpriority(os.PRIO_PROCESS, 0), os.getpid(), os.getppid(), os.getsid(0), os.getpgid(0), threading.active_count(), os.uname()[1],
    tried(os.getxattr, '/tmp', 'user.note'), tried(os.listdir, '/dev/shm'), tried(socket.socket), tried(os.wait), [fd for fd in range(1000) if isinstance(tried(os.fstat, fd), os.stat_result)],
    sys.stdout.closed, sys.gettrace(), sys.getprofile(), os.access(os.__file__, os.R_OK), open('/dev/null').read(), sep='\n')`

// looking is look, with addresses in memory where this machine lets them be the same everywhere.
func looking() Program {
	fixed := make(chan bool)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with this function
		fixed <- fixAddresses()
	}()
	return Program{Source: look, Argument: <-fixed, Limits: Limits{Processes: 4, Output: 1 << 20}}
}

// nothingLeaks runs programs that change all they can reach, and after each of them one that looks.
func nothingLeaks(t *testing.T, o Options) {
	p := open(t, o)
	program := looking()
	before := run(t, p, program)
	if !before.OK() {
		t.Fatalf("%s", before.Stderr)
	}
	for _, c := range hostile.Changes {
		run(t, p, Program{Source: c.Source, Limits: Limits{Wall: 200 * time.Millisecond, Processes: 4}})
		if after := run(t, p, program); !reflect.DeepEqual(after, before) {
			t.Errorf("after %q the next program sees\n%s%s\nwant\n%s", c.Name, after.Stdout, after.Stderr, before.Stdout)
		}
	}
}

// anyOrder runs every hostile program, on warm workers and in an order that a seed gives, between honest programs: the results of
// these are those of a pool that knows nothing else, to the byte.
func anyOrder(t *testing.T) {
	honest := []Program{looking()}
	for _, c := range customary {
		honest = append(honest, Program{Source: c.source, Limits: Limits{Processes: 12, Memory: 2 << 30, Output: 1 << 20}})
	}
	want := make([]Result, len(honest))
	fresh := open(t, Options{Workers: 1})
	for i, h := range honest {
		want[i] = run(t, fresh, h)
	}
	var rest []string
	for _, b := range hostile.Bombs {
		rest = append(rest, b.Source)
	}
	for _, e := range hostile.Escapes {
		rest = append(rest, e.Source)
	}
	for _, c := range hostile.Changes {
		rest = append(rest, c.Source)
	}
	const seed = 36
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	p := open(t, Options{Workers: 2})
	var wait sync.WaitGroup
	lanes := make(chan struct{}, 3) // more than workers: who comes next is open
	start := func(f func()) {
		lanes <- struct{}{}
		wait.Go(func() { defer func() { <-lanes }(); f() })
	}
	for n, source := range rest {
		start(func() {
			limits := Limits{Wall: 100 * time.Millisecond, Memory: 256 << 20, Output: 1 << 16, Processes: 4}
			_, err := p.Run(t.Context(), Program{Source: source, Argument: "/secret", Limits: limits})
			if err != nil {
				t.Errorf("%s: %v", source, err)
			}
		})
		k := (n + random.IntN(2)) % len(honest)
		start(func() {
			r, err := p.Run(t.Context(), honest[k])
			if err != nil || !reflect.DeepEqual(r, want[k]) {
				t.Errorf("seed %d: about when\n%s\nran, an honest program ended with %s, want %s", seed, source, told(r), told(want[k]))
			}
		})
	}
	wait.Wait()
}

func told(r Result) string {
	return fmt.Sprintf("%s %d\n%s%s", r.Status, r.Code, r.Stdout, r.Stderr)
}
