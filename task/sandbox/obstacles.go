//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// obstacles are settings of the kernel that keep bubblewrap from making user namespaces.
var obstacles = []struct{ setting, value, remedy string }{
	{"user/max_user_namespaces", "0", "allow user namespaces: sysctl user.max_user_namespaces=10000"},
	{"kernel/unprivileged_userns_clone", "0", "allow user namespaces: sysctl kernel.unprivileged_userns_clone=1"},
	{
		"kernel/apparmor_restrict_unprivileged_userns", "1",
		"give bwrap an AppArmor profile with the permission userns, or: sysctl kernel.apparmor_restrict_unprivileged_userns=0",
	},
}

// remedy says what to do where bubblewrap is there and does not isolate. root is that of the file system.
func remedy(root string) string {
	for _, o := range obstacles {
		value, err := os.ReadFile(filepath.Join(root, "proc/sys", o.setting))
		if err == nil && strings.TrimSpace(string(value)) == o.value {
			return o.remedy
		}
	}
	return "let bubblewrap make user namespaces (a container must allow it; Docker: --security-opt seccomp=unconfined), or set " + BackendVariable + "=wasm"
}

// mapped reports whether a number of a user has a meaning here. In a user namespace, such as that of a container without root, only
// some have. root is that of the file system.
func mapped(root string, id int64) bool {
	data, err := os.ReadFile(filepath.Join(root, "proc/self/uid_map"))
	if err != nil {
		return true // as on most machines
	}
	for line := range strings.Lines(string(data)) {
		var first, outside, count int64
		if _, err := fmt.Sscan(line, &first, &outside, &count); err == nil && first <= id && id < first+count {
			return true
		}
	}
	return false
}
