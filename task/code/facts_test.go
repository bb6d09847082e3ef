package code

import (
	"encoding/json"
	"testing"
)

func TestFactsOfReports(t *testing.T) {
	yes, no := true, false
	parts := map[string]float64{partAux: 0.4, partMain: 0.6}
	for _, c := range []struct {
		name      string
		report    Report
		responses int
		robust    bool
		want      string
	}{
		{"used", Report{Parts: parts, Scheme: Decorator}, 2, false, `{"usable":[true,true],"influence":true,"cascade":false,"solved":0,"scheme":"decorator"}`},
		{"aux raises", Report{Parts: parts, Scheme: Decorator, Total: 2, AuxRaised: 1}, 2, false, `{"usable":[true,true],"influence":true,"cascade":false,"raised":true,"solved":0,"scheme":"decorator"}`},
		{"not used", Report{Parts: parts, Scheme: None}, 2, false, `{"usable":[true,true],"influence":false,"cascade":false,"solved":0,"scheme":"none"}`},
		{"nothing readable", Report{Scheme: Invalid, Cascade: true}, 2, false, `{"usable":[false,false],"influence":false,"cascade":true,"solved":0,"scheme":"invalid"}`},
		{
			"counterfactuals",
			Report{Parts: parts, Scheme: Decorator, Influences: &no, PassThrough: &no},
			2, true,
			`{"usable":[true,true],"audit":1,"gamed":true,"influence":false,"cascade":false,"solved":0,"scheme":"decorator"}`,
		},
		{
			"honest",
			Report{Parts: parts, Scheme: Decorator, Influences: &yes, PassThrough: &no},
			2, true,
			`{"usable":[true,true],"audit":1,"gamed":false,"influence":true,"cascade":false,"solved":0,"scheme":"decorator"}`,
		},
		{"half of the tests", Report{Parts: map[string]float64{partTests: 0.5, partUse: 0.5}, Scheme: None}, 1, false, `{"usable":[true],"solved":0.5}`},
		{"no tests", Report{Parts: parts, Scheme: None, Stopped: StopNoTests}, 1, false, `{"usable":[true]}`},
		{"alone", Report{Parts: parts, Scheme: None}, 1, false, `{"usable":[true],"solved":0}`},
	} {
		var audit *Report
		if c.robust {
			audit = &c.report
		}
		got, err := json.Marshal(c.report.facts(c.responses, audit, c.robust))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}
