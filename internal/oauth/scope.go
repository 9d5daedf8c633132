package oauth

import (
	"slices"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
)

// readScope returns the scopes that are asked for, in that order, each once.
// It fails if one does not exist.
func readScope(text string) ([]string, *failure) {
	if text == "" {
		return nil, noScope
	}
	var scopes []string
	for scope := range strings.SplitSeq(text, " ") {
		if !isScopeToken(scope) {
			return nil, badScope
		}
		if !slices.Contains(billing.Scopes, scope) {
			return nil, unknownScope(scope)
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

func unknownScope(scope string) *failure {
	there := "The scopes are: " + strings.Join(billing.Scopes, ", ") + "."
	if !showable(scope) {
		return invalidScope("A scope does not exist. " + there)
	}
	return invalidScope("There is no scope " + scope + ". " + there)
}

// unassignedScope returns why a client may not have the scopes, nil if it may.
func unassignedScope(c *client, scopes []string) *failure {
	for _, scope := range scopes {
		if !slices.Contains(c.Scopes, scope) {
			return invalidScope("The scope " + scope + " is not assigned to this API client.")
		}
	}
	return nil
}
