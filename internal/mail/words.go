package mail

import "strings"

// Kind is a kind of payment methods.
type Kind string

// The kinds of payment methods.
const (
	Card      Kind = "CARD"
	SEPADebit Kind = "SEPA_DEBIT"
)

// methods name a payment method. The first has %s for its last digits.
var methods = map[string]map[Kind][2]string{
	"en": {Card: {"card ending in %s", "card"}, SEPADebit: {"direct debit from account ending in %s", "direct debit"}, "": {"payment method ending in %s", "payment method on file"}},
	"de": {Card: {"Karte mit den Endziffern %s", "Karte"}, SEPADebit: {"Lastschrift vom Konto mit den Endziffern %s", "Lastschrift"}, "": {"Zahlungsmittel mit den Endziffern %s", "hinterlegtes Zahlungsmittel"}},
	"fr": {Card: {"carte se terminant par %s", "carte"}, SEPADebit: {"prélèvement sur le compte se terminant par %s", "prélèvement"}, "": {"moyen de paiement se terminant par %s", "moyen de paiement enregistré"}},
}

// MethodText names a payment method for its owner, in the language of the locale or
// English, such as "card ending in 4242". last4 may be empty.
func MethodText(locale string, kind Kind, last4 string) string {
	words := methods[language(locale)]
	forms, known := words[kind]
	if !known {
		forms = words[""]
	}
	if last4 == "" {
		return forms[1]
	}
	return strings.Replace(forms[0], "%s", last4, 1)
}

// reason is why a payment failed, as far as it can be said to the customer. That a card
// was reported stolen is not said: who reads it may be the thief.
type reason int

const (
	declined reason = iota
	noFunds
	expired
	wrongNumber
	needsPresence
	closedAccount
	noMandate
	returned
	overLimit
	disturbed
)

// reasons by the codes of providers.
var reasons = map[string]reason{
	"insufficient_funds":                   noFunds,
	"withdrawal_count_limit_exceeded":      overLimit,
	"card_velocity_exceeded":               overLimit,
	"debit_exceeds_limit":                  overLimit,
	"expired_card":                         expired,
	"invalid_expiry_month":                 expired,
	"invalid_expiry_year":                  expired,
	"incorrect_number":                     wrongNumber,
	"invalid_number":                       wrongNumber,
	"invalid_account":                      wrongNumber,
	"no_account":                           wrongNumber,
	"authentication_required":              needsPresence,
	"account_closed":                       closedAccount,
	"bank_account_unusable":                closedAccount,
	"debit_not_authorized":                 noMandate,
	"payment_intent_mandate_invalid":       noMandate,
	"revocation_of_authorization":          noMandate,
	"revocation_of_all_authorizations":     noMandate,
	"stop_payment_order":                   noMandate,
	"returned":                             returned,
	"refer_to_customer":                    returned,
	"processing_error":                     disturbed,
	"issuer_not_available":                 disturbed,
	"try_again_later":                      disturbed,
	"payment_method_provider_decline":      declined,
	"payment_method_bank_account_blocked":  closedAccount,
	"payment_method_provider_timeout":      disturbed,
	"payment_intent_authentication_failed": needsPresence,
}

var reasonTexts = map[string]map[reason]string{
	"en": {
		declined:      "the payment was declined by the bank",
		noFunds:       "there were not enough funds",
		expired:       "the card has expired",
		wrongNumber:   "the number of the card or account is not valid",
		needsPresence: "the bank asks you to confirm the payment yourself",
		closedAccount: "the account is closed or blocked",
		noMandate:     "the authorization for direct debits is missing or was revoked",
		returned:      "the direct debit was returned by the bank",
		overLimit:     "a limit of the card or account was exceeded",
		disturbed:     "a technical problem at the bank",
	},
	"de": {
		declined:      "Die Bank hat die Zahlung abgelehnt",
		noFunds:       "Das Konto war nicht ausreichend gedeckt",
		expired:       "Die Karte ist abgelaufen",
		wrongNumber:   "Die Karten- oder Kontonummer ist ungültig",
		needsPresence: "Die Bank verlangt, dass Sie die Zahlung selbst bestätigen",
		closedAccount: "Das Konto ist geschlossen oder gesperrt",
		noMandate:     "Das Lastschriftmandat fehlt oder wurde widerrufen",
		returned:      "Die Bank hat die Lastschrift zurückgegeben",
		overLimit:     "Ein Limit der Karte oder des Kontos wurde überschritten",
		disturbed:     "Technische Störung bei der Bank",
	},
	"fr": {
		declined:      "le paiement a été refusé par la banque",
		noFunds:       "le solde du compte était insuffisant",
		expired:       "la carte a expiré",
		wrongNumber:   "le numéro de carte ou de compte n’est pas valide",
		needsPresence: "la banque vous demande de confirmer vous-même le paiement",
		closedAccount: "le compte est clôturé ou bloqué",
		noMandate:     "l’autorisation de prélèvement est absente ou a été révoquée",
		returned:      "le prélèvement a été rejeté par la banque",
		overLimit:     "un plafond de la carte ou du compte a été dépassé",
		disturbed:     "un incident technique auprès de la banque",
	},
}

// ReasonText says to the customer why a payment failed, in the language of the locale or
// English. code is the provider's; what is unknown or not for the customer to know was
// declined by the bank.
func ReasonText(locale, code string) string { return reasonTexts[language(locale)][reasons[code]] }
