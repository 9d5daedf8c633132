package document

import (
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/billing/money"
)

func TestOneInvoicePerEntityAndCurrency(t *testing.T) {
	jpy := money.Currency{Code: "JPY"}
	item := func(entity billing.EntityID, c money.Currency, separate billing.SubscriptionID, priced money.Amount) Billable {
		return Billable{entity, c, separate, Item{Kind: ManualItem, Quantity: "1", Priced: priced, Tax: vat19}}
	}
	free := item(3, eur, 0, 0)
	free.Item.Quantity = "0"
	invoices, err := Invoices(7, []Billable{item(1, eur, 0, 100), item(1, jpy, 0, 200), item(1, eur, 5, 300), item(2, eur, 0, 400), free, item(1, eur, 0, 500)})
	if err != nil || len(invoices) != 4 {
		t.Fatal(invoices, err)
	}
	for n, want := range []money.Amount{600, 200, 300, 400} {
		if i := invoices[n]; i.Subtotal != want || i.AccountID != 7 || i.Kind != SubscriptionInvoice {
			t.Errorf("invoice %d is %+v, want %d", n, i, want)
		}
	}
	if _, err := Invoices(7, []Billable{item(1, eur, 0, -1)}); !billing.Is(err, billing.Invalid) {
		t.Errorf("a negative item: %v", err)
	}
	notes, err := CreditNotes(DifferenceCredit, "", []Credit{
		{Invoice: invoices[0], Item: 0, Amount: 10}, {Invoice: invoices[3], Item: 0, Amount: 20}, {Invoice: invoices[2], Item: 0, Amount: 30}, {Invoice: invoices[1], Item: 0, Amount: 40},
	})
	if err != nil || len(notes) != 3 {
		t.Fatal(notes, err)
	}
	for n, want := range []struct {
		entity   billing.EntityID
		currency string
		subtotal money.Amount
	}{{1, "EUR", 40}, {2, "EUR", 20}, {1, "JPY", 40}} {
		if note := notes[n]; note.EntityID != want.entity || note.Currency.Code != want.currency || note.Subtotal != want.subtotal {
			t.Errorf("credit note %d is %+v, want %v", n, note, want)
		}
	}
	if _, err := CreditNotes(DifferenceCredit, "", []Credit{{Invoice: invoices[0], Item: 0, Amount: 1000}}); !billing.Is(err, billing.NotAllowed) {
		t.Errorf("more than was billed: %v", err)
	}
}

func TestStatesOfACreditNote(t *testing.T) {
	for applied, want := range map[money.Amount]CreditNoteState{0: Ready, 1: PartiallyApplied, 100: Applied} {
		note := CreditNote{Amount: 100, AmountApplied: applied}
		if note.State() != want || note.AmountUnapplied() != 100-applied {
			t.Errorf("%d of 100 applied: %s, %d left", applied, note.State(), note.AmountUnapplied())
		}
	}
}
