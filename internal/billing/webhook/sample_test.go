package webhook

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing/subscription"
)

// leaves collects the values of a body by their path, without the positions in
// lists; an empty list is a value too.
func leaves(v any, path string, into map[string][]any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			leaves(value, path+"."+key, into)
		}
	case []any:
		for _, element := range v {
			leaves(element, path+"[]", into)
		}
		if len(v) == 0 {
			into[path] = append(into[path], "empty")
		}
	default:
		into[path] = append(into[path], v)
	}
}

func TestSamplesShowEverything(t *testing.T) {
	found := map[string][]any{}
	codes := map[string]bool{}
	for _, state := range SampleStates() {
		var body any
		if err := json.Unmarshal(state.Body(), &body); err != nil {
			t.Fatal(err)
		}
		leaves(body, "", found)
		if codes[state.Tenant.Code] || !strings.HasPrefix(state.Tenant.Code, "sample-") {
			t.Errorf("the code %s does not tell the samples apart", state.Tenant.Code)
		}
		codes[state.Tenant.Code] = true
	}
	const told, contact = ".payload.change.subscriptions[]", ".payload.tenant.account.contacts[]"
	for _, state := range []subscription.State{subscription.StatePending, subscription.StateTrial, subscription.StateActive, subscription.StateCanceled, subscription.StateExpired, subscription.StateTrialExpired} {
		if !slices.Contains(found[told+".state"], any(state.Wire())) {
			t.Errorf("no sample is %s", state.Wire())
		}
	}
	for path, want := range map[string][]any{
		told + ".trial_start_date": {nil, "2025-12-18"}, told + ".trial_end_date": {nil, "2025-12-31"},
		told + ".plan.code":                   {nil, "pro"},
		told + ".features":                    {"empty"},
		told + ".features[].quantity":         {nil, 0.0, 25.0},
		told + ".features[].value":            {"", "eu"},
		".payload.change.features":            {"empty"},
		".payload.change.features[].quantity": {nil, 0.0, 50.0},
		".payload.change.subscriptions":       {"empty"},
		".payload.tenant.account.contacts":    {"empty"},
		contact + ".last_name":                {"", "Lee"},
		contact + ".first_name":               {"", "Ann"},
		contact + ".email":                    {"", "ann.lee@example.com"},
	} {
		for _, value := range want {
			if !slices.Contains(found[path], value) {
				t.Errorf("%s is %v in no sample", path, value)
			}
		}
	}
}

func TestTestStateIsOfThePlatform(t *testing.T) {
	body := string(TestState(Platform{ID: 77, Code: "shop", Name: "Shop"}).Body())
	for _, part := range []string{`"code":"provisioning-test"`, `"platform":{"id":77,"code":"shop","name":"Shop"}`, `"state":"active"`, `"quantity":25`} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is not in %s", part, body)
		}
	}
}
