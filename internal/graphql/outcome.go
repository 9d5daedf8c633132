package graphql

import (
	"fmt"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/graphql/node"
)

// outcome turns what an operation returned into the parts of a payload. On
// success errors is nil, because client libraries take any value there as a
// failure. An error that is not for the caller stays an error.
func outcome[T, N any](row *T, failure error, nodes func([]T) []*N) (thing *N, errors []string, userErrors []*node.UserError, err error) {
	if failure == nil {
		return nodes([]T{*row})[0], nil, nil, nil
	}
	problems, known := billing.AsProblems(failure)
	if !known || billing.Is(failure, billing.Conflict) {
		return nil, nil, nil, failure
	}
	for _, p := range problems[:min(len(problems), maxErrors)] {
		message := bounded(p.Message)
		errors = append(errors, message)
		userErrors = append(userErrors, &node.UserError{Code: string(p.Code), Field: p.Field, Message: message})
	}
	if more := len(problems) - maxErrors; more > 0 {
		message := fmt.Sprintf("There are %d more problems like these.", more)
		errors = append(errors, message)
		userErrors = append(userErrors, &node.UserError{Code: string(billing.TooMany), Message: message})
	}
	return nil, errors, userErrors, nil
}
