package print

// phrases are the texts of documents in a language. Those with %s take the values that
// stand beside them.
type phrases struct {
	Invoice, CreditNote string
	Draft, Test         string // marks of documents that nobody has to pay

	Number, IssuedAt, DueAt, Period, PONumber, BuyerReference string
	Credited, Reason                                          string
	BillTo, TaxNumber, RegistrationNumber, TimeZone           string

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
