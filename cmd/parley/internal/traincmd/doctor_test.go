package traincmd

import "testing"

func TestWithoutAMX(t *testing.T) {
	if got := withoutAMX(""); got != "" {
		t.Errorf("nothing to say is %q", got)
	}
	if got := withoutAMX("the system does not let it"); got != "; amx not: the system does not let it" {
		t.Errorf("a refusal is %q", got)
	}
}
