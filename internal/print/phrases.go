package print

// phrases are the texts of documents in a language. Those with %s take values in
// that order.
type phrases struct {
	Invoice, CreditNote string
	Draft, Test         string // marks of documents that nobody has to pay

	Number, IssuedAt, DueAt, Period, PONumber, BuyerReference string
	Credited, Reason                                          string
	BillTo, TaxNumber, RegistrationNumber                     string

	Description, Quantity, Price, Tax, Amount string
	Tenant                                    string
	Days                                      string // days, days of the period
	TaxIncluded                               string // amount with tax

	Subtotal      string
	TaxOn         string // rate, net amount
	Total         string
	TotalCredit   string
	Credits, Paid string
	AmountDue     string

	ReverseCharge, NotSubject, Exempt string

	Payment string
	PayBy   string // amount, date
	Quote   string // what to give as the reference of a payment
	Bank    string
	Notes   string
	Hash    string
}

// languages are those that documents are printed in.
var languages = map[string]*phrases{
	"en": {
		Invoice: "Invoice", CreditNote: "Credit note", Draft: "Draft", Test: "Test",
		Number: "Number", IssuedAt: "Date", DueAt: "Due date", Period: "Service period", PONumber: "PO number", BuyerReference: "Your reference",
		Credited: "Credits invoice", Reason: "Reason", BillTo: "Bill to", TaxNumber: "VAT ID", RegistrationNumber: "Registration no.",
		Description: "Description", Quantity: "Quantity", Price: "Price", Tax: "Tax", Amount: "Amount",
		Tenant: "Tenant", Days: "%s of %s days", TaxIncluded: "%s with tax",
		Subtotal: "Subtotal", TaxOn: "Tax %s on %s", Total: "Total", TotalCredit: "Total credit", Credits: "Credits", Paid: "Paid", AmountDue: "Amount due",
		ReverseCharge: "Reverse charge", NotSubject: "Not subject to VAT", Exempt: "Tax exempt",
		Payment: "Payment", PayBy: "Please pay %s by %s.", Quote: "Reference", Bank: "Bank", Notes: "Notes",
		Hash: "Hash of this document and all before it",
	},
}
