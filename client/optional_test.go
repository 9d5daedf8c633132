package client_test

import (
	"encoding/json"
	"testing"

	"github.com/tenantry/tenantry/client"
)

// TestOptionalIsLeftOutOrNull: what a caller does not mention is not sent, in
// every version of Go that the library supports.
func TestOptionalIsLeftOutOrNull(t *testing.T) {
	t.Parallel()
	for want, attributes := range map[string]client.AccountAttributes{
		`{}`:                          {},
		`{"name":"Acme","code":null}`: {Name: client.Some("Acme"), Code: client.Null[string]()},
		`{"code":"","billingDay":0}`:  {Code: client.Some(""), BillingDay: client.Some(0)},
		`{"billingContact":{}}`:       {BillingContact: client.Some(client.ContactAttributes{})},
		`{"addressValidated":false}`:  {AddressValidated: client.Some(false)},
	} {
		if got, err := json.Marshal(attributes); err != nil || string(got) != want {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
	}
	for _, c := range []struct {
		optional         client.Optional[int]
		ok, null, absent bool
	}{{nil, false, false, true}, {client.Null[int](), false, true, false}, {client.Some(3), true, false, false}} {
		value, ok := c.optional.Get()
		if ok != c.ok || ok && value != 3 || c.optional.IsNull() != c.null || c.optional.IsZero() != c.absent {
			t.Errorf("%v: %d %v %v %v", c.optional, value, ok, c.optional.IsNull(), c.optional.IsZero())
		}
	}
}
