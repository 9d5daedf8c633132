package console

import (
	"strings"

	"github.com/tenantry/tenantry/internal/ui"
)

// actionNames are the operations whose names say too little.
var actionNames = map[string]string{
	"subscriptionQuantityUpdate": "Changed quantities", "subscriptionPlanChange": "Changed the plan", "subscriptionCancel": "Ended the subscription",
	"subscriptionReinstate": "Reinstated the subscription", "subscriptionSetAutoRenew": "Changed the renewal", "subscriptionTrialExtend": "Extended the trial",
	"subscriptionTrialConvert": "Converted the trial", "subscriptionTenantUpdate": "Moved to another tenant", "subscriptionScheduledChangeCancel": "Took back a scheduled change",
	"subscriptionImport": "Imported the subscription", "apiClientSecretRenew": "Renewed the secret", "platformSigningSecretRotate": "Rotated the signing secret",
	"platformEndpointResume": "Resumed the endpoint", "eventEndpointResume": "Resumed the event endpoint", "eventEndpointTest": "Sent a test", "eventEndpointSigningSecretRotate": "Rotated the signing secret", "platformWebhookTest": "Sent a test", "tenantSync": "Sent the current state", "tenantStateReport": "Reported tenants", "driftRepair": "Repaired tenants that differed", "driftPersists": "Found that a repair changed nothing",
	"testClockAdvance": "Advanced the test clock", "timeZoneSet": "Set the time zone", "lifecycleResume": "Resumed the lifecycle", "userPasswordSet": "Set a password", "userDisable": "Disabled the user", "userEnable": "Enabled the user", "userSignIn": "Signed in", "userSignOut": "Signed out",
	"userSignOutEverywhere": "Signed out everywhere", "webhookEventResend": "Resent an event", "webhookEventsResend": "Resent many events",
	"accountInvoice": "Billed the account", "invoiceUpdate": "Changed the draft", "invoiceIssue": "Issued the invoice", "invoiceCredit": "Credited the invoice", "invoiceVoid": "Voided the invoice", "invoiceWriteOff": "Wrote off the invoice", "invoiceDunningHold": "Held the steps of the invoice", "invoiceDunning": "Carried out steps of unpaid invoices", "invoiceCollect": "Collected the invoice", "paymentRefund": "Refunded a payment", "paymentRefundFailed": "Found that a refund has failed", "paymentCollectionSettle": "Settled a collection", "paymentCollection": "Recorded what became of a collection", "paymentMethodCreate": "Added a payment method", "paymentMethodMakeDefault": "Chose the payment method", "paymentMethodDelete": "Removed a payment method",
	"emailSend":     "Sent an e-mail again",
	"paymentCreate": "Recorded a payment", "paymentApplyToInvoices": "Applied a payment", "paymentUnapplyFromInvoices": "Took back a payment", "creditNoteApplyToInvoices": "Applied a credit note",
	"apiClientCreate": "Created the API client", "apiClientUpdate": "Changed the API client", "apiClientDelete": "Deleted the API client",
}

// auditFieldNames are the fields that people know by another name than programs do.
var auditFieldNames = map[string]string{
	"currencyId": "currency", "evergreen": "renews", "isVisible": "visible", "isProvisioned": "in webhooks", "accessTokenExpiresIn": "token lifetime in seconds",
	"email": "e-mail", "netPaymentDays": "payment term in days", "webhookUrl": "webhook URL", "unitName": "unit", "addon": "add-on",
	"quantityMin": "at least", "quantityMax": "at most", "maxCpuSecondsPerMinute": "CPU seconds a minute", "maxMegabytesPerMinute": "MiB a minute",
	"maxConcurrentRequests": "requests at once", "drifted": "tenants that differ", "missing": "tenants missing there", "ahead": "tenants ahead", "priceListCharge": "charge",
	"billWhileSuspended": "bill suspended days",
}

// subjectWord is what an entry is about, for people.
func subjectWord(kind string) string {
	switch kind {
	case "ApiClient":
		return "API client"
	case "PriceListCharge":
		return "Charge"
	}
	return ui.Capitalized(strings.TrimSpace(fieldWords(kind)))
}

// actionWords is what was done, for people: "priceListUpdate" is "Changed the
// price list".
func actionWords(action string) string {
	if words := actionNames[action]; words != "" {
		return words
	}
	for _, verb := range [][2]string{{"Create", "Created the "}, {"Update", "Changed the "}, {"Delete", "Deleted the "}} {
		if noun, is := strings.CutSuffix(action, verb[0]); is {
			return verb[1] + fieldWords(noun)
		}
	}
	return ui.Capitalized(fieldWords(action))
}
