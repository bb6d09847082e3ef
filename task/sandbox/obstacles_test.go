//go:build linux && (amd64 || arm64)

package sandbox

import (
	"strings"
	"testing"
)

// TestRemedy: what stands in bubblewrap's way is named.
func TestRemedy(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"proc/sys/user/max_user_namespaces": "0\n"}, "sysctl user.max_user_namespaces=10000"},
		{map[string]string{"proc/sys/user/max_user_namespaces": "96365\n", "proc/sys/kernel/unprivileged_userns_clone": "0\n"}, "sysctl kernel.unprivileged_userns_clone=1"},
		{map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n"}, "AppArmor"},
		{map[string]string{"proc/sys/kernel/apparmor_restrict_unprivileged_userns": "0\n"}, "a container must allow it"},
		{nil, "PARLEY_SANDBOX=wasm"},
	} {
		if got := remedy(tree(t, c.files)); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.files, got)
		}
	}
}

// TestMapped: root of a namespace in which there is nobody else cannot become somebody else.
func TestMapped(t *testing.T) {
	for text, want := range map[string]bool{
		"         0          0 4294967295\n":                          true,
		"         0       1000          1\n":                          false,
		"         0       1000          1\n 1     100000     65536\n": true,
		"": false,
	} {
		if got := mapped(tree(t, map[string]string{"proc/self/uid_map": text}), outsideID); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !mapped(t.TempDir(), outsideID) {
		t.Error("where nothing is said everybody is somebody")
	}
}
