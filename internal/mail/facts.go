package mail

import (
	"reflect"
	"slices"
)

// Facts are what templates can say. Amounts and dates are texts, in the form that the
// recipient's locale gives them; what is not known or does not apply is empty. Each
// template has some of them: see Fields.
type Facts struct {
	CompanyName  string // the name of the company that bills
	CompanyEmail string // the address that questions go to
	CustomerName string // the name of the customer, as on the invoice
	ContactName  string // the name of the person who gets the message

	InvoiceNumber  string // the number of the invoice, or several with commas
	InvoiceDate    string // the date of the invoice
	Total          string // the total of the invoice
	AmountDue      string // what is still to be paid of the invoice
	DueDate        string // the last day to pay
	DaysLeft       int    // days until the invoice is due or the payment method expires
	DaysOverdue    int    // days since the invoice was due
	SuspensionDate string // the day on which access is suspended if nothing is paid
	Suspended      bool   // whether access is suspended already
	Restored       bool   // whether the payment has given access back

	BankDetails   string // where to transfer money to, on several lines
	Method        string // the payment method, such as "card ending in 4242": see MethodText
	MethodExpires string // when the payment method expires, such as 04/2026
	CollectOn     string // the day on which the payment method is charged
	NextTryOn     string // the day on which it is charged again
	PaymentAmount string // the amount of the payment
	PaymentDate   string // the date of the payment
	PaymentReason string // why a payment failed: see ReasonText

	CreditNoteNumber string // the number of the credit note
	CreditNoteDate   string // the date of the credit note
	CreditAmount     string // the total of the credit note
	CreditReason     string // why it was issued

	Attached bool // whether the invoice or credit note is attached to the message
}

// Field describes one of the Facts, for people who write templates.
type Field struct {
	Name string
	// Help says what it is.
	Help string
	// Sample is its value in a preview.
	Sample string
}

var help = map[string]string{
	"CompanyName":      "your company’s name",
	"CompanyEmail":     "the address that questions go to",
	"CustomerName":     "the customer’s name, as on the invoice",
	"ContactName":      "the name of the person who gets the message; may be empty",
	"InvoiceNumber":    "the number of the invoice, or several with commas",
	"InvoiceDate":      "the date of the invoice",
	"Total":            "the total of the invoice",
	"AmountDue":        "what is still to be paid; empty if nothing is",
	"DueDate":          "the last day to pay",
	"DaysLeft":         "days until the invoice is due or the payment method expires, a number",
	"DaysOverdue":      "days since the invoice was due, a number",
	"SuspensionDate":   "the day on which access is suspended; may be empty",
	"Suspended":        "whether access is suspended already, yes or no",
	"Restored":         "whether the payment has given access back, yes or no",
	"BankDetails":      "where to transfer money to, on several lines; may be empty",
	"Method":           "the payment method; empty if there is none",
	"MethodExpires":    "when the payment method expires",
	"CollectOn":        "the day on which the payment method is charged; may be empty",
	"NextTryOn":        "the day on which it is charged again; empty if it is not",
	"PaymentAmount":    "the amount of the payment",
	"PaymentDate":      "the date of the payment",
	"PaymentReason":    "why the payment failed; may be empty",
	"CreditNoteNumber": "the number of the credit note",
	"CreditNoteDate":   "the date of the credit note",
	"CreditAmount":     "the total of the credit note",
	"CreditReason":     "why the credit note was issued; may be empty",
	"Attached":         "whether the invoice or credit note is attached, yes or no",
}

var (
	everywhere = []string{"CompanyName", "CompanyEmail", "CustomerName", "ContactName"}
	ofInvoice  = []string{"InvoiceNumber", "InvoiceDate", "Total", "AmountDue", "DueDate", "BankDetails", "Attached"}
)

// fieldsOf are the facts that each template has, besides those that all have.
var fieldsOf = map[string][]string{
	Invoice:       append([]string{"Method", "CollectOn"}, ofInvoice...),
	DueSoon:       append([]string{"DaysLeft"}, ofInvoice...),
	Reminder:      append([]string{"DaysOverdue"}, ofInvoice...),
	LastReminder:  append([]string{"DaysOverdue", "SuspensionDate", "Suspended"}, ofInvoice...),
	Receipt:       {"InvoiceNumber", "AmountDue", "Restored", "PaymentAmount", "PaymentDate", "Method", "Attached"},
	PaymentFailed: {"InvoiceNumber", "AmountDue", "DueDate", "SuspensionDate", "Suspended", "BankDetails", "Method", "PaymentAmount", "PaymentDate", "PaymentReason", "NextTryOn"},
	MethodExpires: {"Method", "MethodExpires", "DaysLeft"},
	CreditNote:    {"CreditNoteNumber", "CreditNoteDate", "CreditAmount", "CreditReason", "InvoiceNumber", "AmountDue", "Attached"},
}

// has reports whether a template has a fact.
func has(name, field string) bool {
	return slices.Contains(everywhere, field) || slices.Contains(fieldsOf[name], field)
}

// Fields returns the facts that a template can use, in the order of Facts, with samples
// in a locale. There are none for a name that is not one of a template.
func Fields(name, locale string) []Field {
	if !IsName(name) {
		return nil
	}
	sample := reflect.ValueOf(Sample(name, locale))
	var fields []Field
	for i := range sample.NumField() {
		if field := sample.Type().Field(i).Name; has(name, field) {
			fields = append(fields, Field{field, help[field], text(sample.Field(i))})
		}
	}
	return fields
}
