package demo

import (
	"fmt"
	"io"
)

// Access is where the demo is to be found, and how to get in.
type Access struct {
	Tenantry, Sample       string // addresses, without a slash at the end
	Email, Password        string
	ClientID, ClientSecret string
	Data                   string // the directory
}

// Welcome prints where everything is and three things to try. Every line that
// begins with two blanks and a command can be pasted as it is.
func (b *Business) Welcome(w io.Writer, a Access) {
	e := b.Example
	fmt.Fprintf(w, "\nA demo of Tenantry: %d customers and a year of their history. It ends with Ctrl-C.\n\n", len(customers))
	fmt.Fprintf(w, "  console   %s   sign in as %s with the password %s\n", a.Tenantry, a.Email, a.Password)
	fmt.Fprintf(w, "  sample    %s   the application that is sold: it knows what webhooks have told it\n", a.Sample)
	fmt.Fprintf(w, "  API       %s/graphql   client id %s, client secret %s\n", a.Tenantry, a.ClientID, a.ClientSecret)
	fmt.Fprintf(w, "  data      %s   for other commands, such as tenantry listen --platform harbour --data-dir …\n", a.Data)
	fmt.Fprintf(w, "\nThree things to try, in a second terminal:\n\n1. Get a token.\n\n")
	fmt.Fprintf(w, "  TOKEN=$(curl -s %s/oauth/token -d grant_type=client_credentials -d 'scope=standard:read standard:write' "+
		"-d client_id=%s -d client_secret=%s | sed 's/.*\"access_token\":\"\\([^\"]*\\)\".*/\\1/'); echo $TOKEN\n", a.Tenantry, a.ClientID, a.ClientSecret)
	fmt.Fprintf(w, "\n2. Give %s %d %s instead of %d, and watch %s/?q=%s at the same time.\n\n",
		e.Customer, e.NextQuantity, e.Feature, e.Quantity, a.Sample, e.Tenant)
	b.change(w, a, e.NextQuantity)
	fmt.Fprintf(w, "\n3. Make the sample fail (its page has a switch, too), change something, and see in the console, at\n"+
		"   %s/tenants/%d, that this tenant is out of sync. Then let the sample answer again, and watch it recover.\n\n", a.Tenantry, e.TenantID)
	fmt.Fprintf(w, "  curl -s -X POST %s/stop\n", a.Sample)
	b.change(w, a, e.NextQuantity+20)
	fmt.Fprintf(w, "  curl -s -X POST %s/start\n", a.Sample)
	fmt.Fprintf(w, "\nA year of invoices, credit notes and payments is at %s/invoices. %s has stopped paying,\n"+
		"so its tenant is suspended. Record a payment of what it owes at %s/accounts/%d/billing, and watch %s/?q=%s come back.\n",
		a.Tenantry, b.Debtor.Customer, a.Tenantry, b.Debtor.Account, a.Sample, b.Debtor.Tenant)
	fmt.Fprintf(w, "\nThe sample reports what it has. Press \"Break it\" on a tenant at %s/?q=%s, as if somebody had edited the\n"+
		"sample's database, and watch Tenantry find the difference and repair it with a webhook: %s/tenants/%d\n",
		a.Sample, e.Tenant, a.Tenantry, e.TenantID)
	fmt.Fprintf(w, "\nTime stands still here until you move it: %s/test-clocks/%d\n\n", a.Tenantry, b.Clock)
}

// change prints the command that gives the example another quantity.
func (b *Business) change(w io.Writer, a Access, quantity int) {
	fmt.Fprintf(w, "  curl -s %s/graphql -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' "+
		`-d '{"query":"mutation { subscriptionQuantityUpdate(subscriptionId: %d, quantities: [{code: \"%s\", quantity: %d}]) { subscription { state } errors } }"}'`+"\n",
		a.Tenantry, b.Example.Subscription, b.Example.Charge, quantity)
}
