package mail

import (
	"reflect"
	"strconv"
)

// samples have every fact, by language.
var samples = map[string]Facts{
	"en": {
		CompanyName: "Acme Cloud Ltd", CompanyEmail: "billing@acme.example", CustomerName: "Globex Inc", ContactName: "Ann Miller",
		InvoiceDate: "2 Mar 2026", DueDate: "16 Mar 2026", SuspensionDate: "6 Apr 2026",
		Total: "EUR 1,190.00", AmountDue: "EUR 1,190.00", PaymentAmount: "EUR 1,190.00", CreditAmount: "EUR 238.00",
		BankDetails: "Account holder: Acme Cloud Ltd\nIBAN: DE89 3704 0044 0532 0130 00\nBIC: COBADEFFXXX",
		CollectOn:   "16 Mar 2026", NextTryOn: "19 Mar 2026", PaymentDate: "16 Mar 2026",
		CreditNoteDate: "9 Mar 2026", CreditReason: "2 fewer users since 1 March",
	},
	"de": {
		CompanyName: "Acme Cloud GmbH", CompanyEmail: "rechnung@acme.example", CustomerName: "Globex AG", ContactName: "Petra Müller",
		InvoiceDate: "02.03.2026", DueDate: "16.03.2026", SuspensionDate: "06.04.2026",
		Total: "1.190,00 EUR", AmountDue: "1.190,00 EUR", PaymentAmount: "1.190,00 EUR", CreditAmount: "238,00 EUR",
		BankDetails: "Kontoinhaber: Acme Cloud GmbH\nIBAN: DE89 3704 0044 0532 0130 00\nBIC: COBADEFFXXX",
		CollectOn:   "16.03.2026", NextTryOn: "19.03.2026", PaymentDate: "16.03.2026",
		CreditNoteDate: "09.03.2026", CreditReason: "2 Benutzer weniger seit dem 1. März",
	},
	"fr": {
		CompanyName: "Acme Cloud SAS", CompanyEmail: "facturation@acme.example", CustomerName: "Globex SARL", ContactName: "Claire Dubois",
		InvoiceDate: "02/03/2026", DueDate: "16/03/2026", SuspensionDate: "06/04/2026",
		Total: "1\u202f190,00\u00a0EUR", AmountDue: "1\u202f190,00\u00a0EUR", PaymentAmount: "1\u202f190,00\u00a0EUR", CreditAmount: "238,00\u00a0EUR",
		BankDetails: "Titulaire\u00a0: Acme Cloud SAS\nIBAN\u00a0: DE89 3704 0044 0532 0130 00\nBIC\u00a0: COBADEFFXXX",
		CollectOn:   "16/03/2026", NextTryOn: "19/03/2026", PaymentDate: "16/03/2026",
		CreditNoteDate: "09/03/2026", CreditReason: "2\u00a0utilisateurs de moins depuis le 1er\u00a0mars",
	},
}

// everyFact is a sample in which nothing is empty.
func everyFact(locale string) Facts {
	f := samples[language(locale)]
	f.InvoiceNumber, f.CreditNoteNumber = "INV-2026-000017", "CN-2026-000004"
	f.Method, f.MethodExpires = MethodText(locale, Card, "4242"), "04/2026"
	f.PaymentReason = ReasonText(locale, "insufficient_funds")
	f.DaysLeft, f.DaysOverdue, f.Attached, f.Suspended, f.Restored = 3, 14, true, true, true
	return f
}

// Sample returns facts for the preview of a template, in the language of the locale or
// English. Facts that the template does not have are empty.
func Sample(name, locale string) Facts {
	f := everyFact(locale)
	f.Suspended, f.Restored = false, false // as for most who are reminded or pay
	switch name {
	case Reminder:
		f.DaysOverdue = 3
	case Receipt:
		f.AmountDue = "" // paid in full, as most are
	case MethodExpires:
		f.DaysLeft = 30
	case CreditNote:
		f.AmountDue = ""
	}
	return only(name, f)
}

// only leaves the facts that a template has.
func only(name string, f Facts) Facts {
	value := reflect.ValueOf(&f).Elem()
	for i := range value.NumField() {
		if !has(name, value.Type().Field(i).Name) {
			value.Field(i).SetZero()
		}
	}
	return f
}

// text is a fact as a template prints it.
func text(value reflect.Value) string {
	switch value.Kind() {
	case reflect.Int:
		return strconv.FormatInt(value.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(value.Bool())
	}
	return value.String()
}
