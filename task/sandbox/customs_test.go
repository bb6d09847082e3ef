//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strings"
	"testing"
)

// customary are programs as people write them. Each prints "ok" at its end. They may take twelve processes and threads.
var customary = []struct{ name, source string }{
	{"unittest", `
import io, unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(sum(range(5)), 10)
    def test_b(self):
        with self.assertRaises(ZeroDivisionError): 1 / 0
r = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))
print(r.testsRun, r.wasSuccessful())`},
	{"json, re, decimal, fractions, datetime", `
import datetime, decimal, fractions, json, re
print(json.loads(json.dumps({'a': [1, None, 'ü']})), re.findall(r'(\w)\1', 'aabbc'), decimal.Decimal('0.1') * 3, fractions.Fraction(1, 3) + 1)
print(datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=366), datetime.datetime.now().year > 2000)`},
	{"random, statistics, itertools, heapq", `
import heapq, itertools, random, statistics
x = [random.random() for _ in range(100)]
random.shuffle(x)
print(len(set(x)), statistics.median(range(9)), heapq.nsmallest(2, [3, 1, 2]), sum(1 for _ in itertools.permutations(range(6))), random.SystemRandom().random() < 1)`},
	{"files", `
import csv, os, pathlib, pickle, shelve, shutil, tempfile, zipfile
p = pathlib.Path('/tmp/a/b'); p.mkdir(parents=True)
(p / 'x.txt').write_text('hello'); (p / 'x.txt').rename(p / 'y.txt')
shutil.copy2(p / 'y.txt', '/tmp/z.txt'); shutil.copytree(p, '/tmp/c')
with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile(dir=d) as f: f.write(b'x'); f.flush()
pickle.dump({1: 2}, open('p', 'wb')); print(pickle.load(open('p', 'rb')))
with zipfile.ZipFile('q.zip', 'w') as z: z.write('z.txt')
with open('t.csv', 'w', newline='') as f: csv.writer(f).writerow([1, 'a,b'])
with shelve.open('s') as s: s['k'] = [1]
print(open('t.csv').read().strip(), sorted(os.listdir('/tmp/c')), zipfile.ZipFile('q.zip').namelist(), os.path.getsize('z.txt'), [n for n in sorted(os.listdir()) if len(n) < 4])
os.chmod('z.txt', 0o600); os.truncate('z.txt', 2); os.utime('z.txt', (1, 2)); print(os.stat('z.txt').st_mtime, open('z.txt').read()); shutil.rmtree('a')`},
	{"a database", `
import sqlite3
c = sqlite3.connect('data.db')
c.execute('create table t (a integer, b text)'); c.executemany('insert into t values (?, ?)', [(1, 'x'), (2, 'y')]); c.commit(); c.close()
c = sqlite3.connect('data.db'); print(c.execute('select sum(a) from t').fetchall())`},
	{"output", `
import contextlib, io, logging, sys, warnings
with contextlib.redirect_stdout(io.StringIO()) as f: print('captured')
logging.basicConfig(filename='l.log', level=logging.INFO); logging.info('noted')
warnings.warn('careful'); print(f.getvalue().strip(), open('l.log').read().strip(), file=sys.stderr)`},
	{"threads", `
import concurrent.futures, queue, threading
q, lock, n = queue.Queue(), threading.Lock(), [0]
def work():
    for _ in range(100):
        with lock: n[0] += 1
    q.put(1)
ts = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]
with concurrent.futures.ThreadPoolExecutor(3) as e: print(n, q.qsize(), list(e.map(lambda x: x * x, range(5))))`},
	{"asyncio", `
import asyncio
async def f(x):
    await asyncio.sleep(0.001)
    return x
async def main(): return await asyncio.gather(*(f(i) for i in range(5)))
print(asyncio.run(main()))`},
	{"processes", `
import multiprocessing, os, subprocess, sys
def square(x): return x * x
with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, range(5)))
q = multiprocessing.Queue(); p = multiprocessing.Process(target=q.put, args=(7,)); p.start(); print(q.get()); p.join()
print(subprocess.run([sys.executable, '-S', '-c', 'print(6 * 7)'], capture_output=True, text=True).stdout.strip(), os.cpu_count() > 0)`},
	{"signals and time", `
import signal, time
def late(*a): raise TimeoutError
signal.signal(signal.SIGALRM, late); signal.setitimer(signal.ITIMER_REAL, 0.01)
try: time.sleep(5)
except TimeoutError: print('in time')
t = time.perf_counter(); time.sleep(0.001); print(time.perf_counter() > t, time.time() > 0, time.process_time() > 0)`},
	{"the machine", `
import getpass, locale, os, platform, resource, sys
print(platform.system(), os.getcwd(), os.path.expanduser('~'), sys.getsizeof(1) > 0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0, len(os.urandom(8)), os.isatty(0), locale.getlocale()[1])`},
	{"deep and long", `
import sys
sys.setrecursionlimit(20000)
def f(n): return 0 if n == 0 else 1 + f(n - 1)
print(f(5000), len(str(2 ** 10000)), sum(i * i for i in range(10 ** 5)), hash('x') == hash('x'))`},
	{"numbers in arrays", `
try:
    import numpy
except ImportError:
    print('6.0')
else:
    print(float(numpy.linalg.solve(numpy.eye(3), numpy.ones((3, 1)) * 2).sum()))`},
}

// customs runs what people legitimately write: no wall is in its way.
func customs(t *testing.T, o Options) {
	p := open(t, o)
	for _, c := range customary {
		r := run(t, p, Program{Source: c.source + "\nprint('ok')", Limits: Limits{Processes: 12, Memory: 2 << 30}})
		if !r.OK() || !strings.HasSuffix(string(r.Stdout), "ok\n") {
			t.Errorf("%s: %s %d\n%s%s", c.name, r.Status, r.Code, r.Stdout, r.Stderr)
		}
	}
}
