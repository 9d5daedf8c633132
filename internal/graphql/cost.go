package graphql

import (
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/tenantry/tenantry/internal/billing"
)

// What a field costs that is more than a value at hand, by what it does.
// docs/api.md has the same table.
const (
	costStatement = 10     // a field of Query: it asks the database
	costFilter    = 50     // a list with a filter, of Query or within something else
	costSearch    = 500    // a list with free words in its filter
	costCount     = 2_000  // counts all that a filter finds
	costChange    = 100    // a mutation: a transaction of its own
	costRehearsal = 2_500  // does a change and takes it back
	costProgram   = 10_000 // runs a payload program, or makes a request to a receiver
	costBody      = 10     // a text that may have kilobytes
	costPart      = 20     // takes a part out of such a text
	costCompare   = 100    // compares two of them
)

// fieldCosts are the costs of fields by type and name.
var fieldCosts = map[string]float64{
	"Query.workflowPreview":           costProgram,
	"Mutation.platformWebhookTest":    costProgram,
	"Mutation.eventEndpointTest":      costProgram,
	"Mutation.workflowUpdate":         costProgram, // tries the program that it sets
	"Query.subscriptionPreview":       costRehearsal,
	"Query.invoicePreview":            costRehearsal,
	"Query.accruedItems":              costRehearsal,
	"Query.subscriptionChangePreview": costRehearsal,
	"Query.documentsVerify":           costProgram,
	"Mutation.webhookEventsResend":    costRehearsal,
	"WebhookEvent.payload":            costBody,
	"WebhookEvent.responseBody":       costBody,
	"WebhookAttempt.responseBody":     costBody,
	"WebhookEvent.difference":         costCompare,
	"ProvisioningChange.change":       costPart,
	"ProvisioningChange.features":     costPart,
}

// ownCost is what a field costs without what is selected in it.
func (m measurer) ownCost(field *ast.Field) float64 {
	if field.ObjectDefinition == nil {
		return 1
	}
	object := field.ObjectDefinition.Name
	if cost, known := fieldCosts[object+"."+field.Name]; known {
		return cost
	}
	switch {
	case field.Name == "totalCount":
		return costCount
	case object == "Mutation":
		return costChange
	case object != "Query" || field.Name == "__typename":
		return m.listCost(field, 1)
	}
	return m.listCost(field, costStatement)
}

// listCost is what it costs to find what a field shows that costs so much
// without a filter.
func (m measurer) listCost(field *ast.Field, without float64) float64 {
	argument := field.Arguments.ForName("filter")
	if argument == nil {
		return without
	}
	value, err := argument.Value.Value(m.variables)
	text, isText := value.(string)
	if err != nil || !isText || text == "" {
		return without
	}
	filter, err := billing.ParseFilter(text)
	switch {
	case err != nil: // it is refused when it is used
		return without
	case len(filter.Words) > 0:
		return costSearch
	}
	return costFilter
}
