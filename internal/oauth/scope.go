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
	if len(scope) > 100 {
		scope = scope[:100] + "..."
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

// isScopeToken reports whether text is 1*( %x21 / %x23-5B / %x5D-7E ), as in
// RFC 6749 §3.3. Such a text can stand in an error description too.
func isScopeToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x21 || r == '"' || r == '\\' || r > 0x7e
	})
}
