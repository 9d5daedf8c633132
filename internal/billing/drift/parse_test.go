package drift

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestParse(t *testing.T) {
	for _, text := range []string{
		`{"code":"acme","sequence":3,"at":"2026-03-01T12:00:00Z","features":[{"code":"seats","quantity":5,"name":"Seats"}],"extra":{}}` + "\n\r\n" + `{"code":"b","sequence":0,"features":[]}` + "\n",
		"\ufeff" + ` [ {"code":"acme","sequence":3,"at":"2026-03-01T12:00:00Z","features":[{"code":"seats","quantity":5}]},` + "\n" + `{"code":"b","sequence":0,"features":[]} ] `,
	} {
		states, err := Parse([]byte(text), nil)
		if err != nil || len(states) != 2 || states[0].Code != "acme" || states[0].Sequence != 3 || *states[0].Features[0].Quantity != 5 || !states[0].At.Equal(noon) || states[1].At != nil {
			t.Errorf("%s is read as %v, %v", text, states, err)
		}
	}
	for _, text := range []string{"", "[]", strings.Repeat(" \n", MostBytes/2)} {
		if states, err := Parse([]byte(text), nil); err != nil || len(states) > 0 {
			t.Errorf("nothing is read as %v, %v", states, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	good := `{"code":"acme","sequence":1,"features":[]}`
	var many strings.Builder
	for i := range MostTenants + 1 {
		fmt.Fprintf(&many, `{"code":"t%d","sequence":1,"features":[]}`+"\n", i)
	}
	for _, c := range []struct{ text, want string }{
		{good + "\n" + good, `The tenant "acme" is in the request twice: Line 1 and Line 2.`},
		{"[" + good + "," + good + "]", `The tenant "acme" is in the request twice: Tenant 1 and Tenant 2.`},
		{good + "\n\n" + `{"sequence":1,"features":[]}`, "Line 3: the tenant has no code."},
		{`{"code":"acme","features":[]}`, `Line 1: tenant "acme" has no sequence.`},
		{`{"code":"acme","sequence":1}`, `Line 1: tenant "acme" has no list of features.`},
		{`{"code":"acme","sequence":1,"features":null}`, `Line 1: tenant "acme" has no list of features.`},
		{`{"code":"acme","sequence":-1,"features":[]}`, `Line 1: the sequence of tenant "acme" is -1.`},
		{`{"code":"acme","sequence":1.5,"features":[]}`, `Line 1: sequence cannot be number 1.5.`},
		{`{"code":"acme","sequence":1,"at":"yesterday","features":[]}`, `Line 1: at must be a time`},
		{`{"code":"acme","sequence":1,"features":[{"code":"a"},{"value":"x"}]}`, `Line 1: feature 2 of tenant "acme" has no code.`},
		{`{"code":"acme","sequence":1,"features":[{"code":"a"},{"code":"a"}]}`, `Line 1: tenant "acme" has the feature "a" twice.`},
		{`{"code":"acme","sequence":1,"features":[{"code":"a","quantity":-1}]}`, `Line 1: the quantity of feature "a" of tenant "acme" is -1.`},
		{`{"code":"a` + "\xff" + `"}`, "The report is not valid UTF-8 text."},
		{`{"code":"a\u0000","sequence":1,"features":[]}`, `Line 1: the code of the tenant is no text`},
		{`{"code":"acme",`, "Line 1 is no JSON that can be read"},
		{"[" + good, "The report is no JSON that can be read"},
		{"[" + good + "] x", "There is something behind the end"},
		{"[" + good + ",3]", "Tenant 2 is no tenant"},
		{"hello", "Line 1 is no tenant"},
		{many.String(), "A request reports at most 10000 tenants"},
		{strings.Repeat(" ", MostBytes+1), "A request has at most 8 MiB."},
	} {
		states, err := Parse([]byte(c.text), nil)
		if _, told := billing.AsProblems(err); !told || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", billing.Excerpt(c.text), err, c.want)
		}
		if len(states) > 0 {
			t.Errorf("%s is read in part", billing.Excerpt(c.text))
		}
	}
}

// renamed brings {"id", "seq", "seats"} into the standard form.
func renamed(text []byte) ([]byte, error) {
	var sent struct {
		ID    *string `json:"id"`
		Seq   int     `json:"seq"`
		Seats int     `json:"seats"`
	}
	if err := json.Unmarshal(text, &sent); err != nil || sent.ID == nil {
		return nil, errors.New("there is no id")
	}
	return fmt.Appendf(nil, `{"code":%q,"sequence":%d,"features":[{"code":"seats","quantity":%d}]}`, *sent.ID, sent.Seq, sent.Seats), nil
}

func TestParseBringsIntoForm(t *testing.T) {
	for _, text := range []string{
		"{\"id\":\"acme\",\"seq\":3,\"seats\":5}\n\n {\"id\":\"b\"} \n",
		` [ {"id":"acme","seq":3,"seats":5} , {"id":"b"} ] `,
	} {
		var sent []string
		states, err := Parse([]byte(text), func(tenant []byte) ([]byte, error) {
			sent = append(sent, string(tenant))
			return renamed(tenant)
		})
		if err != nil || len(states) != 2 || states[0].Code != "acme" || states[0].Sequence != 3 || *states[0].Features[0].Quantity != 5 || states[1].Code != "b" {
			t.Errorf("%s is read as %v, %v", text, states, err)
		}
		if want := []string{`{"id":"acme","seq":3,"seats":5}`, `{"id":"b"}`}; !slices.Equal(sent, want) {
			t.Errorf("the form is given %q, want %q", sent, want)
		}
	}
}

func TestParseRefusesWhatAFormMakes(t *testing.T) {
	good := `{"id":"acme","seq":1}`
	makes := func(text string) Form { return func([]byte) ([]byte, error) { return []byte(text), nil } }
	for _, c := range []struct {
		text string
		form Form
		want string
	}{
		{good + "\n{}", renamed, "Line 2: stateProgram does not bring it into the standard form: there is no id."},
		{"[" + good + ",{}]", renamed, "Tenant 2: stateProgram does not bring it into the standard form: there is no id."},
		{good + "\n{", renamed, "Line 2 is no JSON that can be read"},
		{good + "\nhello", renamed, `Line 2 is no tenant: it must be an object, not "hello".`},
		{good + "\n" + good, renamed, `The tenant "acme" is in the request twice: Line 1 after stateProgram and Line 2 after stateProgram.`},
		{good + "\n" + `{"id":"b","seq":-1}`, renamed, `Line 2 after stateProgram: the sequence of tenant "b" is -1.`},
		{good, makes(`{"code":"acme","features":[]}`), `Line 1 after stateProgram: tenant "acme" has no sequence.`},
		{good, makes(`{"code":"acme","sequence":1,"features":"none"}`), "Line 1 after stateProgram: features cannot be string."},
		{good, makes(`[]`), "Line 1 after stateProgram is no tenant"},
		{good, makes(`null`), "Line 1 after stateProgram is no tenant"},
		{strings.Repeat(good+"\n", MostTenants+2), renamed, "A request reports at most 10000 tenants"},
		{strings.Repeat("{}\n", 20), makes(`{"code":"acme","sequence":1,"features":[],"more":"` + strings.Repeat("x", 1<<20) + `"}`), "Line 16: what stateProgram makes of a request has at most 16 MiB."},
	} {
		states, err := Parse([]byte(c.text), c.form)
		if _, told := billing.AsProblems(err); !told || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", billing.Excerpt(c.text), err, c.want)
		}
		if len(states) > 0 {
			t.Errorf("%s is read in part", billing.Excerpt(c.text))
		}
	}
}

// FuzzParse never fails with an error that a caller does not understand, and whatever
// it accepts can be judged.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"code":"acme","sequence":3,"at":"2026-03-01T12:00:00Z","features":[{"code":"seats","quantity":5}]}`))
	f.Add([]byte("[{\"code\":\"a\",\"sequence\":0,\"features\":[]},\n{}]"))
	f.Add([]byte("[[[["))
	f.Fuzz(func(t *testing.T, body []byte) {
		states, err := Parse(body, nil)
		if err != nil {
			if _, told := billing.AsProblems(err); !told {
				t.Fatalf("%v", err)
			}
			return
		}
		codes := map[string]bool{}
		for i := range states {
			s := &states[i]
			if s.Code == "" || codes[s.Code] || s.Sequence < 0 {
				t.Fatalf("accepted %v", s)
			}
			codes[s.Code] = true
			s.Sequence++ // with 0, nothing was told
			if j := Judge(s, &Told{Last: s.Sequence, Highest: s.Sequence, Features: s.Features}, noon); j.Outcome != InSync {
				t.Fatalf("%v differs from itself: %v", s, j)
			}
		}
	})
}
