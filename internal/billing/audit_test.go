package billing

import (
	"strings"
	"testing"
)

func TestChangesNamesWhatDiffers(t *testing.T) {
	before := &Account{Name: "Acme", BillingDay: 15}
	after := &Account{Name: "Acme", BillingDay: 15}
	after.ID, after.Name, after.Code = 7, "Acme <Inc>", new("acme")
	changes := Changes(before, after)
	if len(changes) != 2 || string(changes["name"].From) != `"Acme"` || string(changes["code"].From) != "null" || string(changes["code"].To) != `"acme"` {
		t.Errorf("changes %v", changes)
	}
	if len(Changes(before, &Account{Name: "Acme", BillingDay: 15})) != 0 {
		t.Error("equal things differ")
	}
	created, deleted := Changes(nil, after), Changes(after, nil)
	if string(created["name"].From) != "null" || string(deleted["name"].To) != "null" || len(created) != len(deleted) {
		t.Errorf("created %v, deleted %v", created, deleted)
	}
	secretive := Changes(nil, &Client{SecretHash: "hash", OldSecretHash: "old", Name: "x"})
	for name := range secretive {
		if strings.Contains(strings.ToLower(name), "secret") {
			t.Errorf("the change of a client shows %s", name)
		}
	}
}
