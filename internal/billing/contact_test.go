package billing

import "testing"

func TestContactIsEmpty(t *testing.T) {
	t.Parallel()
	empty := map[string]Contact{
		"nothing": {}, "of an account": {AccountID: 1},
		"blank texts": {FirstName: " ", LastName: new(""), Email: new("\t"), Code: new(""), Phone: new(" "), MailingCity: new("")},
	}
	for name, c := range empty {
		if !c.Empty() {
			t.Errorf("%s: it is a contact", name)
		}
	}
	for i, c := range []Contact{{FirstName: "A"}, {LastName: new("L")}, {Email: new("@")}, {Code: new("c")}, {MailingCountry: new("BE")}} {
		if c.Empty() {
			t.Errorf("%d: it is no contact", i)
		}
	}
}

func TestContactLabel(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Contact{
		"Ann Lee": {FirstName: "Ann", LastName: new("Lee"), Email: new("ann@example.com")}, "Lee": {LastName: new("Lee")},
		"ann@example.com": {Email: new("ann@example.com")},
	} {
		if got := c.Label(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
