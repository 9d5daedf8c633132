package print

import (
	"iter"
	"strings"

	"github.com/tenantry/tenantry/internal/billing/document"
	"github.com/tenantry/tenantry/internal/print/pdf"
)

// sheet is a document in words, in the order in which they are printed.
type sheet struct {
	Language      string
	Title, Number string
	Marks         []string // DRAFT, TEST
	Logo          *pdf.Image
	Seller        party
	BuyerLabel    string
	Buyer         party
	Facts         []fact
	Intro         []fact // what a credit note is about
	Columns       []column
	Rows          iter.Seq2[row, error]
	Totals        []total
	PaymentLabel  string
	Payment       []fact // empty if there is nothing to pay
	PayBy         string
	NotesLabel    string
	Notes         []string
	Footer        []string
	Hash          *fact
}

// party is the seller or the buyer.
type party struct {
	Name  string
	Lines []string
}

// fact is a value with its label.
type fact struct{ Label, Value string }

// column is the head of a column. All but the first have numbers.
type column struct {
	Name  string
	Class string // in HTML
}

// row is an item.
type row struct {
	Text, Detail string
	Numbers      []string // of the columns but the first
}

// total is an amount below the items.
type total struct {
	Label, Note, Amount string
	// Sum is what counts: drawn in bold.
	Sum bool
}

// sheet puts the document into words.
func (d *Document) sheet() *sheet {
	l := localeOf(d.Locale)
	s := &sheet{
		Language: l.language, Title: l.Invoice, Number: d.Number, Logo: d.Seller.image(),
		Seller: d.seller(&l), BuyerLabel: l.BillTo, Buyer: d.buyer(&l), Facts: d.facts(&l), Intro: d.intro(&l),
		Columns: d.columns(&l), Rows: d.rows(&l), Totals: d.totals(&l),
		PaymentLabel: l.Payment, NotesLabel: l.Notes, Notes: lines(d.Notes), Footer: lines(d.Seller.Footer),
	}
	if d.Kind == CreditNote {
		s.Title = l.CreditNote
	}
	if d.Test {
		s.Marks = append(s.Marks, l.Test)
	}
	if d.Number == "" {
		s.Marks = append(s.Marks, l.Draft)
	}
	s.PayBy, s.Payment = d.payment(&l)
	if d.Hash != (document.Hash{}) {
		s.Hash = &fact{l.Hash, "SHA-256 " + d.Hash.String()}
	}
	return s
}

func (d *Document) seller(l *locale) party {
	s := &d.Seller
	p := party{s.heading(), nil}
	if s.Name != p.Name {
		p.Lines = append(p.Lines, s.Name)
	}
	p.Lines = append(p.Lines, s.address(l)...)
	p.Lines = append(p.Lines, labeled(fact{l.TaxNumber, s.TaxNumber}, fact{l.RegistrationNumber, s.RegistrationNumber})...)
	p.Lines = append(p.Lines, lines(s.Email, s.Phone, s.Website)...)
	return p
}

func (d *Document) buyer(l *locale) party {
	b := &d.Buyer
	p := party{b.heading(), lines(b.Contact)}
	p.Lines = append(p.Lines, b.address(l)...)
	p.Lines = append(p.Lines, labeled(fact{l.TaxNumber, b.TaxNumber})...)
	p.Lines = append(p.Lines, lines(b.Email)...)
	p.Lines = append(p.Lines, labeled(fact{l.TimeZone, b.Timezone})...)
	return p
}

// labeled are facts as lines.
func labeled(facts ...fact) []string {
	var all []string
	for _, f := range given(facts...) {
		all = append(all, f.Label+": "+f.Value)
	}
	return all
}

// given are the facts that have a value.
func given(facts ...fact) []fact {
	var all []fact
	for _, f := range facts {
		if f.Value = strings.TrimSpace(f.Value); f.Value != "" {
			all = append(all, f)
		}
	}
	return all
}

func (d *Document) facts(l *locale) []fact {
	return given(
		fact{l.Number, d.Number}, fact{l.IssuedAt, l.day(d.IssuedAt)}, fact{l.DueAt, l.day(d.DueAt)},
		fact{l.Period, l.days(d.PeriodStart, d.PeriodEnd)}, fact{l.PONumber, d.PONumber}, fact{l.BuyerReference, d.BuyerReference},
	)
}

// intro says which invoices a credit note credits, and why.
func (d *Document) intro(l *locale) []fact {
	var invoices []string
	for _, r := range d.Credited {
		text := r.Number
		if day := l.day(r.IssuedAt); day != "" {
			text += " (" + day + ")"
		}
		invoices = append(invoices, text)
	}
	return given(fact{l.Credited, strings.Join(invoices, ", ")}, fact{l.Reason, d.Reason})
}

// columns of the items. Credits have no quantity and no price.
func (d *Document) columns(l *locale) []column {
	amount := l.Amount + space + d.Currency.Code
	if d.Kind == CreditNote {
		return []column{{l.Description, "text"}, {l.Tax, "rate"}, {amount, "amount"}}
	}
	return []column{{l.Description, "text"}, {l.Quantity, "quantity"}, {l.Price, "price"}, {l.Tax, "rate"}, {amount, "amount"}}
}
