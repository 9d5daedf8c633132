package document

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestCanonicalInvoice(t *testing.T) {
	i := invoice(t, 1000)
	i.UUID, i.Seller, i.Buyer, i.Notes, i.Locale = "u", json.RawMessage(`{ "name": "A & B" }`), json.RawMessage(`{"name":"<C>"}`), "Thank you", "en"
	const want = `{"uuid":"u","number":"INV-1","kind":"ONE_OFF","entityId":0,"accountId":0,"currencyId":"EUR","issuedAt":"2026-03-01","dueAt":"2026-03-15",` +
		`"periodStart":"2026-03-01","periodEnd":"2026-03-31","subtotal":"10.00","taxAmount":"1.90","amount":"11.90","appliedAtIssue":"0.00","invoiceItems":[{"position":1,"kind":"MANUAL",` +
		`"subscriptionId":null,"tenantCode":"","priceListChargeId":null,"code":"","lineText":"","feature":"","unitName":"","quantity":"1","previousQuantity":null,"price":null,` +
		`"startDate":"2026-03-01","endDate":"2026-03-31","days":0,"periodDays":0,"amount":"10.00","taxCode":"","taxCategory":"S","taxRate":"19","explanation":null}],` +
		`"taxes":[{"taxCategory":"S","taxRate":"19","net":"10.00","tax":"1.90"}],"seller":{"name":"A & B"},"buyer":{"name":"<C>"},"notes":"Thank you","poNumber":"","buyerReference":"","locale":"en"}`
	got, err := i.Canonical()
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want\n%s", got, err, want)
	}
	// What becomes of an invoice does not change it.
	i.AmountPaid, i.Credits, i.Voided, i.Items[0].Credited = 1, 2, true, 3
	if again, err := i.Canonical(); err != nil || string(again) != want {
		t.Errorf("after a payment: %s, %v", again, err)
	}
	i.Seller = json.RawMessage(`{`)
	if text, err := i.Canonical(); err == nil {
		t.Errorf("a broken copy of the seller: %s", text)
	}
}

// series is a chain of three invoices and a series that checks it.
func series(t *testing.T) (Series, []Numbered) {
	start := Series{Format: format(t, "INV-{YYYY}-{000}")}
	var links []Numbered
	s := start
	for n, today := range []string{"2025-12-31", "2026-01-01", "2026-01-01"} {
		number, issuedAt, next, err := s.Next(d(today))
		if err != nil {
			t.Fatal(err)
		}
		i := invoice(t, 1000)
		i.ID, i.Number, i.IssuedAt = billing.InvoiceID(n), number, issuedAt
		canonical, err := i.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		next.Head = Chain(s.Head, canonical)
		links = append(links, Numbered{number, issuedAt, s.Head, next.Head, canonical})
		s = next
	}
	return start, links
}

func verify(s Series, links []Numbered) error {
	for _, l := range links {
		next, err := s.Verify(l)
		if err != nil {
			return err
		}
		s = next
	}
	return nil
}

func TestChain(t *testing.T) {
	start, links := series(t)
	if err := verify(start, links); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		spoil func([]Numbered) []Numbered
		says  string
	}{
		"changed amount": {func(l []Numbered) []Numbered {
			l[1].Canonical = []byte(strings.Replace(string(l[1].Canonical), "11.90", "11.91", 1))
			return l
		}, "was changed"},
		"changed, with a new hash": {func(l []Numbered) []Numbered {
			l[1].Canonical = []byte(strings.Replace(string(l[1].Canonical), "11.90", "11.91", 1))
			l[1].Hash = Chain(l[1].Previous, l[1].Canonical)
			return l
		}, "does not follow"},
		"one missing":  {func(l []Numbered) []Numbered { return append(l[:1], l[2]) }, "should be INV-2026-001"},
		"one doubled":  {func(l []Numbered) []Numbered { return append(l, l[2]) }, "should be INV-2026-003"},
		"swapped":      {func(l []Numbered) []Numbered { l[1], l[2] = l[2], l[1]; return l }, "should be INV-2026-001"},
		"dated before": {func(l []Numbered) []Numbered { l[2].IssuedAt = d("2025-01-01"); return l }, "is dated 2025-01-01"},
	} {
		_, links := series(t)
		if err := verify(start, row.spoil(links)); !billing.Is(err, billing.Invalid) || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
	if Chain(Hash{}, links[0].Canonical) == Chain(Hash{1}, links[0].Canonical) {
		t.Error("a hash does not depend on the one before it")
	}
	if h, err := ParseHash(links[0].Hash.String()); err != nil || h != links[0].Hash {
		t.Errorf("%s is read as %s, %v", links[0].Hash, h, err)
	}
	for _, text := range []string{"", "00", strings.Repeat("g", 64)} {
		if _, err := ParseHash(text); !billing.Is(err, billing.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestVerifyFindsWrongAmounts(t *testing.T) {
	for name, spoil := range map[string]func(*Invoice){
		"subtotal": func(i *Invoice) { i.Subtotal++ },
		"tax":      func(i *Invoice) { i.TaxAmount-- },
		"amount":   func(i *Invoice) { i.Amount++ },
		"item":     func(i *Invoice) { i.Items[0].Amount++ },
		"explanation": func(i *Invoice) {
			i.Items[0].Kind, i.Items[0].Explanation = RecurringItem, json.RawMessage(`{"period":["2026-03-01","2026-03-31"],"days":31,"of":31,"pieces":[["2026-03-01","2026-03-31","11"]],"exact":"1100","billedBefore":"0.00","forgiven":"0.00","target":"11.00"}`)
		},
		"no explanation": func(i *Invoice) { i.Items[0].Kind = RecurringItem },
	} {
		i := invoice(t, 1000, 500)
		if err := i.Verify(); err != nil {
			t.Fatal(err)
		}
		spoil(i)
		if err := i.Verify(); !billing.Is(err, billing.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVerifyFindsWrongCredits(t *testing.T) {
	for name, spoil := range map[string]func(*CreditNote){
		"subtotal": func(c *CreditNote) { c.Subtotal++ },
		"tax":      func(c *CreditNote) { c.TaxAmount, c.Amount = c.TaxAmount-1, c.Amount-1 },
		"amount":   func(c *CreditNote) { c.Amount++ },
		"item":     func(c *CreditNote) { c.Items[0].Amount++ },
		"group":    func(c *CreditNote) { c.Taxes[0].Net++ },
	} {
		i := invoice(t, 1000, 500)
		note, err := i.CreditByHand([]Part{{1, 400}}, "", d("2026-03-02"))
		if err != nil {
			t.Fatal(err)
		}
		if err := note.Verify(); err != nil || note.TaxAmount == 0 {
			t.Fatal(err, note.TaxAmount)
		}
		spoil(&note)
		if err := note.Verify(); !billing.Is(err, billing.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
