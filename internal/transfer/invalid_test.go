package transfer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/store/storetest"
	"github.com/tenantry/tenantry/internal/transfer"
)

// TestInvalidLines breaks the example in one place each. What is expected is
// the line and a part of the message.
func TestInvalidLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"))
	text := strings.TrimSpace(example(t))
	last := strings.Count(text, "\n") + 2
	for _, c := range []struct{ line, want string }{
		{`nonsense`, "a line is one JSON object"},
		{`[1]`, "a line is one JSON object"},
		{`{"type":"account"`, "not valid JSON, at byte"},
		{"{\"type\":\"account\",\"name\":\"\xff\"}", "not valid UTF-8"},
		{`{"code":"x"}`, "type: Give the type of the line"},
		{`{"type":"creditNote"}`, `There is no type "creditNote"`},
		{`{"type":3}`, "type must be a text in quotes, not 3"},
		{`{"type":"account","code":"x","name":"X","code":"y"}`, `"code" is there twice`},
		{`{"type":"account","code":"x","name":"X","Billing_day":3}`, `did you mean "billingDay"?`},
		{`{"type":"account","code":"x","name":"X","id":3}`, `There is no field "id" here`},
		{`{"type":"account","code":"x","name":"X","billingDay":"3"}`, `billingDay must be a whole number, not "3"`},
		{`{"type":"account","code":"x","name":null}`, "name must not be null"},
		{`{"type":"account","code":"x"}`, "name must not be empty"},
		{`{"type":"account","name":"X"}`, "code: Give code"},
		{`{"type":"account","code":" x","name":"X"}`, `" x" cannot be a code`},
		{`{"type":"account","code":"x","name":"X","billingDay":32}`, "not 32"},
		{`{"type":"account","code":"x","name":"\ud800"}`, "half of a surrogate pair"},
		{`{"type":"account","code":"acme","name":"X"}`, "The account acme is on line 13 already"},
		{`{"type":"contact","account":"nobody","firstName":"A"}`, `There is no account "nobody", neither in the file nor in the database`},
		{`{"type":"contact","account":"acme","firstName":"A","email":"nobody"}`, "is not a mail address"},
		{`{"type":"contact","account":"acme","firstName":"A","billing":true}`, "is on line 15 already"},
		{`{"type":"contact","account":"acme"}`, "A contact needs a name or an e-mail address"},
		{`{"type":"contact","account":"acme","firstName":null,"lastName":" ","email":""}`, "A contact needs a name or an e-mail address"},
		{`{"type":"product","code":"x","name":"X","platform":"none"}`, `There is no platform "none"`},
		{`{"type":"feature","product":"none","code":"x","name":"X"}`, `There is no product "none"`},
		{`{"type":"feature","product":"crm","code":"x","name":"X","kind":"SIZE"}`, `not "SIZE"`},
		{`{"type":"planFeature","product":"crm","plan":"pro","feature":"none"}`, `There is no feature of the product crm "none"`},
		{`{"type":"priceList","code":"x","product":"crm","plan":"pro","name":"X","currencyId":"XYZ"}`, `There is no currency "XYZ"`},
		{`{"type":"charge","priceList":"pro-yearly","code":"x","name":"X","price":9.9}`, `price must be a price in quotes, such as "9.90", not 9.9`},
		{`{"type":"charge","priceList":"pro-yearly","code":"x","name":"X","pricingModel":"VOLUME","tiers":[{"starts":1,"prize":"3"}]}`, `tiers.0.prize: There is no field "prize" here`},
		{`{"type":"charge","priceList":"pro-yearly","code":"x","name":"X","feature":"none","price":"1"}`, "There is no feature of the product crm"},
		{`{"type":"tenant","platform":"cloud","code":"x","account":"none"}`, `There is no account "none"`},
		{`{"type":"tenant","platform":"none","code":"x","account":"acme"}`, `There is no platform "none"`},
		{sub(`"priceList":"none"`), `There is no price list "none"`},
		{sub(`"priceList":"pro-yearly","tenant":"none"`), `There is no tenant of the platform cloud "none"`},
		{sub(`"priceList":"pro-yearly","tenant":"zenith"`), `belongs to another account`},
		{sub(`"priceList":"pro-yearly","startDate":"2026-02-30"`), "February 2026 has 28 days"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-01","state":"CANCELED"`), "give cancellationDate"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","cancellationDate":"2025-01-09"`), "The cancellation (2025-01-09) is before the start (2025-01-10)"},
		{sub(`"priceList":"pro-yearly","trialStartDate":"2025-01-10","trialEndDate":"2025-01-20","cancellationDate":"2025-01-09"`), "is before the start (2025-01-10)"},
		{sub(`"priceList":"pro-yearly","startDate":"2023-01-10","evergreen":false,"cancellationDate":"2025-01-09"`), "was over on 2024-01-10, before its cancellation (2025-01-09)"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","state":"ACTIVE","asOf":"2025-06-01","cancellationDate":"2025-05-01","lines":[]`), "was due by 2025-06-01"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","state":"CANCELED","asOf":"2026-01-12","cancellationDate":"2026-01-12","lines":[]`), "is after the term, which ends on 2026-01-09"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","lines":[{"charge":"seats"}]`), "is sold by the number: give the quantity"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","lines":[{"charge":"seats","quantity":3,"off":true}]`), "A line that is off has no quantity"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-10","lines":[{"charge":"seats","quantity":3,"startDate":"2025-01-09"}]`), "begins (2025-01-09) before the subscription (2025-01-10)"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-01","quantities":{"none":1}`), `has no charge "none"`},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-01","quantities":[1]`), "quantities must be an object"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-01","lines":[{"charge":"none"}]`), "There is no charge of the price list pro-yearly"},
		{sub(`"priceList":"pro-yearly","startDate":"2025-01-01","nextPriceList":{"priceList":"none","on":"2027-01-01"}`), `There is no price list "none"`},
		{`{"type":"entity","code":"x","name":"X","country":"DE","invoiceNextNumber":0}`, "invoiceNextNumber: A series begins with a number from 1"},
		{`{"type":"entity","code":"x","name":"X","country":"DE","creditNoteNextNumber":1000000}`, "1000000 has more digits than the count"},
		{strings.Repeat(" ", transfer.MaxLine) + `{"type":"account","code":"x","name":"X"}`, "the line is too long"},
	} {
		_, err := w.imports(text+"\n"+c.line, transfer.Options{})
		var invalid *transfer.InvalidError
		if !errors.As(err, &invalid) {
			t.Errorf("%.80s: %v", c.line, err)
			continue
		}
		if p := invalid.Problems[0]; p.Line != last || !strings.Contains(p.Message, c.want) {
			t.Errorf("%.120s: line %d: %s; want line %d: %s", c.line, p.Line, p.Message, last, c.want)
		}
	}
	w.same("what was written", w.export(), "")
}

func sub(members string) string {
	return `{"type":"subscription","code":"x","account":"acme",` + members + `}`
}

// TestAllErrorsAreTold counts every error, and tells some of them in order.
func TestAllErrorsAreTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"))
	var text strings.Builder
	for i := range 500 {
		if i%2 == 1 {
			fmt.Fprintf(&text, `{"type":"contact","account":"none-%d","firstName":"A","email":"bad"}`+"\n", i) // two errors
		} else {
			fmt.Fprintf(&text, `{"type":"account","code":"a-%d","name":"","surname":"A"}`+"\n", i) // one: the line cannot be read
		}
	}
	_, err := w.imports(text.String(), transfer.Options{MaxErrors: 7})
	var invalid *transfer.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	w.same("errors in all", invalid.Total, 750)
	var lines []int
	for _, p := range invalid.Problems {
		lines = append(lines, p.Line)
	}
	w.same("lines", lines, []int{1, 2, 2, 3, 4, 4, 5})
}

// TestWhatCannotMove refuses lines that would move things that exist.
func TestWhatCannotMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.New(t, "sqlite"))
	w.mustImport(example(t), transfer.Options{})
	clock, err := w.Subscriptions.TestClockCreate(w.ctx, "Test", w.db.Clock.Now())
	w.ok(err)
	_, err = w.Customers.AccountCreate(w.ctx, func(a *billing.Account) error {
		code := "made-up"
		a.Name, a.Code, a.TestClockID = "Made up", &code, &clock.ID
		return nil
	}, nil)
	w.ok(err)
	for _, c := range []struct{ line, want string }{
		{`{"type":"account","code":"made-up","name":"X"}`, "on a test clock"},
		{`{"type":"contact","account":"made-up","firstName":"X"}`, "on a test clock"},
		{`{"type":"tenant","platform":"cloud","code":"zenith","account":"acme"}`, "belongs to another account"},
		{`{"type":"product","code":"crm","name":"CRM","platform":null}`, "the product cannot move"},
		{`{"type":"subscription","code":"SUB-1001","account":"zenith","priceList":"pro-monthly","startDate":"2025-01-01"}`, "it cannot be moved"},
	} {
		_, err := w.imports(c.line, transfer.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.line, err, c.want)
		}
	}
}

// TestNulInReferences sends the character NUL where a code is expected: no
// database may be asked for it, because PostgreSQL would fail.
func TestNulInReferences(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *storetest.Database) {
		w := newWorld(t, db)
		text := strings.TrimSpace(example(t))
		for _, line := range []string{
			`{"type":"account","code":"NUL","name":"X"}`, `{"type":"account","code":"x","name":"NUL"}`,
			`{"type":"contact","account":"NUL","firstName":"A"}`, `{"type":"contact","account":"acme","code":"NUL","firstName":"A"}`,
			`{"type":"product","code":"x","name":"X","platform":"NUL"}`, `{"type":"feature","product":"NUL","code":"x","name":"X"}`,
			`{"type":"planFeature","product":"crm","plan":"NUL","feature":"users"}`, `{"type":"priceList","code":"x","product":"crm","plan":"NUL","name":"X","currencyId":"EUR"}`,
			`{"type":"charge","priceList":"NUL","code":"x","name":"X","price":"1"}`, `{"type":"charge","priceList":"pro-yearly","code":"x","name":"X","feature":"NUL","price":"1"}`,
			`{"type":"tenant","platform":"cloud","code":"x","account":"NUL"}`, `{"type":"tenant","platform":"cloud","code":"NUL","account":"acme"}`, `{"type":"tenant","platform":"NUL","code":"x","account":"acme"}`,
			sub(`"priceList":"NUL"`), sub(`"priceList":"pro-yearly","tenant":"NUL"`), `{"type":"subscription","code":"NUL","account":"acme","priceList":"pro-yearly"}`,
			`{"type":"subscription","code":"x","account":"NUL","priceList":"pro-yearly"}`, sub(`"priceList":"pro-yearly","startDate":"2025-01-01","quantities":{"NUL":1}`),
		} {
			_, err := w.imports(text+"\n"+strings.ReplaceAll(line, "NUL", `a\u0000b`), transfer.Options{})
			if invalid := (*transfer.InvalidError)(nil); !errors.As(err, &invalid) {
				t.Errorf("%s: %v", line, err)
			}
		}
	})
}
