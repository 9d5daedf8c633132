package webhook

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestHeadersAreChecked(t *testing.T) {
	many := Headers{}
	for i := range MaxWorkflowHeaders + 1 {
		many[fmt.Sprintf("X-%d", i)] = "x"
	}
	for _, c := range []struct {
		name    string
		headers Headers
		wrong   int
	}{
		{"none", nil, 0},
		{"good", Headers{"X-Source": "billing", "x_under": "", "X-Token": "t0ken"}, 0},
		{"no name", Headers{"": "x"}, 1},
		{"a blank in the name", Headers{"X Source": "x"}, 1},
		{"a colon in the name", Headers{"X:": "x"}, 1},
		{"set by the sender", Headers{"AUTHORIZATION": "x", "webhook-Signature": "x", "Host": "x"}, 3},
		{"a line break", Headers{"X-A": "a\r\nX-B: b"}, 1},
		{"not ASCII", Headers{"X-A": "ä"}, 1},
		{"too long", Headers{"X-A": strings.Repeat("a", 2_001)}, 1},
		{"twice", Headers{"X-A": "1", "x-a": "2"}, 1},
		{"still hidden", Headers{"X-Token": HiddenValue}, 1},
		{"too many", many, 1},
	} {
		problems := c.headers.Check("recipe.headers")
		if len(problems) != c.wrong {
			t.Errorf("%s: %v, want %d problems", c.name, problems, c.wrong)
		}
		for _, p := range problems {
			if p.Code != billing.Invalid || !reflect.DeepEqual(p.Field, []string{"recipe", "headers"}) {
				t.Errorf("%s: %s %v", c.name, p.Code, p.Field)
			}
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	headers := Headers{"X-Source": "a", "X-API-KEY": "b", "My-Token": "c", "Cookie": "d", "X-Auth": "e"}
	want := Headers{"X-Source": "a", "X-API-KEY": HiddenValue, "My-Token": HiddenValue, "Cookie": HiddenValue, "X-Auth": HiddenValue}
	shown := headers.Shown()
	if !reflect.DeepEqual(shown, want) {
		t.Errorf("shown %v, want %v", shown, want)
	}
	shown.Restore(headers)
	if !reflect.DeepEqual(shown, headers) {
		t.Errorf("restored %v, want %v", shown, headers)
	}
	fresh := Headers{"New-Token": HiddenValue, "Cookie": "other"}
	fresh.Restore(headers)
	if !reflect.DeepEqual(fresh, Headers{"New-Token": HiddenValue, "Cookie": "other"}) {
		t.Errorf("values that were not there were restored: %v", fresh)
	}
}

func TestHeaderValues(t *testing.T) {
	if CheckHeaderValue("x", "Bearer abc") != nil {
		t.Error("a plain value was refused")
	}
	for _, value := range []string{"a\nb", "é", "a\x7f", strings.Repeat("a", 2001)} {
		if CheckHeaderValue("x", value) == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}
