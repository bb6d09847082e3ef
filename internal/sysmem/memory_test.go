package sysmem

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

const mib = 1 << 20

// What is available is the least of what the computer, the control groups and the limits of the process leave.
func TestAvailable(t *testing.T) {
	computer := map[string]string{
		"proc/meminfo":      "MemTotal:       24683676 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n",
		"proc/self/status":  "Name:\tparley\nVmSize:\t 1048576 kB\nVmData:\t  524288 kB\nVmHWM:\t 30720 kB\n",
		"proc/self/limits":  "Limit                     Soft Limit           Hard Limit           Units     \nMax data size             unlimited            unlimited            bytes     \nMax address space         unlimited            unlimited            bytes     \n",
		"proc/self/cgroup":  "0::/\n",
		"sys/fs/cgroup/cpu": "",
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"the computer alone": {nil, 8192 * mib},
		"a container of version 2": {map[string]string{
			"sys/fs/cgroup/memory.max": "1073741824\n", "sys/fs/cgroup/memory.current": "104857600\n", "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file 1048576\nactive_file 2097152\n",
		}, (1024 - 100 + 3) * mib},
		"a group of version 2 within another": {map[string]string{
			"proc/self/cgroup":                       "0::/slice/job\n",
			"sys/fs/cgroup/job/memory.max":           "1\n", // of another group
			"sys/fs/cgroup/slice/job/memory.max":     "max\n",
			"sys/fs/cgroup/slice/job/memory.current": "104857600\n",
			"sys/fs/cgroup/slice/memory.max":         "536870912\n",
			"sys/fs/cgroup/slice/memory.current":     "209715200\n",
		}, (512 - 200) * mib},
		"version 1": {map[string]string{
			"proc/self/cgroup":                           "9:name=systemd:/\n4:cpu,memory:/docker/1234\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "314572800\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "104857600\n",
			"sys/fs/cgroup/memory/memory.stat": "inactive_file 7\ntotal_inactive_file 0\n",
		}, 200 * mib},
		"version 1 without a limit": {map[string]string{
			"proc/self/cgroup":                           "4:memory:/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "104857600\n",
		}, 8192 * mib},
		"ulimit -v": {map[string]string{"proc/self/limits": "Max address space         2147483648           2147483648           bytes     \n"}, 1024 * mib},
		"ulimit -d": {map[string]string{"proc/self/limits": "Max data size             671088640            unlimited            bytes     \n"}, 128 * mib},
		"a group that has more than it may": {map[string]string{
			"sys/fs/cgroup/memory.max": "104857600\n", "sys/fs/cgroup/memory.current": "104857601\n",
		}, 0},
	} {
		files := fstest.MapFS{}
		for _, set := range []map[string]string{computer, c.files} {
			for name, text := range set {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		if got := available(files); got != c.want {
			t.Errorf("%s: %.1f MiB are available, want %.1f", name, got/mib, c.want/mib)
		}
	}
	// What cannot be read is no bound, and no fault.
	for name, files := range map[string]map[string]string{
		"no number":                   {"proc/meminfo": "MemAvailable:\n"},
		"a word":                      {"proc/meminfo": "MemAvailable: much kB\n"},
		"half a line of groups":       {"proc/self/cgroup": "0:\n\n4:memory\n"},
		"a group that is not seen":    {"proc/self/cgroup": "0::/../../outside\n4:memory:/gone\n"},
		"a limit without what it has": {"sys/fs/cgroup/memory.max": "1\n"},
		"a process without sizes":     {"proc/self/limits": "Max address space         1           1           bytes     \n", "proc/self/status": "Name:\tparley\n"},
	} {
		all := fstest.MapFS{"proc/meminfo": {Data: []byte(computer["proc/meminfo"])}, "proc/self/cgroup": {Data: []byte("0::/\n")}}
		for file, text := range files {
			all[file] = &fstest.MapFile{Data: []byte(text)}
		}
		want := 8192.0 * mib
		if _, broken := files["proc/meminfo"]; broken {
			want = math.Inf(1)
		}
		if got := available(all); got != want {
			t.Errorf("%s: %.1f MiB are available, want %.1f", name, got/mib, want/mib)
		}
	}
	if got := available(fstest.MapFS{}); !math.IsInf(got, 1) {
		t.Errorf("a system that says nothing has %g bytes", got)
	}
}

// The figures of this process are plausible, where the system says them.
func TestThisProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		return // not every system has them, and then there is nothing to compare
	}
	held := make([]byte, 64*mib)
	for i := range held {
		held[i] = 1
	}
	if a, all, peak := Available(), Total(), Peak(); a <= 0 || a > all || peak < 64*mib || float64(peak) > all {
		t.Errorf("%.0f MiB of %.0f are available, at most %d were taken", a/mib, all/mib, peak/mib)
	}
	runtime.KeepAlive(held)
}

// What was taken once is forgotten after ResetPeak, where the system can do that.
func TestResetPeak(t *testing.T) {
	held := make([]byte, 128*mib)
	for i := range held {
		held[i] = 1
	}
	before := Peak()
	runtime.KeepAlive(held)
	debug.FreeOSMemory()
	if after := Peak(); ResetPeak() && before > 0 {
		if reset := Peak(); reset > after-64*mib {
			t.Errorf("the peak was %d MiB, and is %d MiB after it was reset", after/mib, reset/mib)
		}
	}
}

func TestAmount(t *testing.T) {
	for bytes, want := range map[float64]string{0: "0 MiB", 312 * mib: "312 MiB", 1023 * mib: "1023 MiB", 1024 * mib: "1.0 GiB", 1.5 * 1024 * mib: "1.5 GiB", 2048 * 1024 * mib: "2048.0 GiB"} {
		if got := Amount(bytes); got != want {
			t.Errorf("%.0f bytes are %s, want %s", bytes, got, want)
		}
	}
}
