package oauth

import "net/http"

// failure is an answer of the token endpoint that is no token (RFC 6749
// §5.2). Its description is ASCII without " and \, as the RFC wants it.
type failure struct {
	status      int
	code        string
	description string
}

func invalidRequest(description string) *failure {
	return &failure{http.StatusBadRequest, "invalid_request", description}
}

func invalidScope(description string) *failure {
	return &failure{http.StatusBadRequest, "invalid_scope", description}
}

func invalidClient(description string) *failure {
	return &failure{http.StatusUnauthorized, "invalid_client", description}
}

var (
	notPost = &failure{http.StatusMethodNotAllowed, "invalid_request",
		"The token endpoint answers POST only."}
	notForm = invalidRequest("Send the parameters as form fields in the body, with the Content-Type " +
		"application/x-www-form-urlencoded or multipart/form-data.")
	tooLarge = &failure{http.StatusRequestEntityTooLarge, "invalid_request",
		"The body is larger than 65536 bytes."}
	cutOff     = invalidRequest("The body ended before it was complete.")
	badPercent = invalidRequest("The body is not valid form data: each % must be followed by two hexadecimal digits.")
	badParts   = invalidRequest("The body is not valid multipart form data.")

	noGrantType = &failure{http.StatusBadRequest, "unsupported_grant_type",
		"The parameter grant_type is missing. Send grant_type=client_credentials."}
	badGrantType = &failure{http.StatusBadRequest, "unsupported_grant_type",
		"Only one grant type is supported. Send grant_type=client_credentials."}

	authenticatedTwice = invalidRequest("The client is authenticated in two ways at once. Use HTTP Basic, " +
		"or client_id and client_secret in the body, but not both.")
	severalAuthorizations = invalidRequest("There is more than one Authorization header. Send one.")
	notAuthenticated      = invalidClient("The client authentication is missing. Send client_id and client_secret " +
		"in the body, or use HTTP Basic.")
	badBasic = invalidClient("The Authorization header is not valid HTTP Basic: it must be the word Basic and " +
		"the Base64 form of the client id, a colon and the client secret.")
	wrongCredentials = invalidClient("The client id or the client secret is wrong, or the API client was deleted.")

	noScope  = invalidScope("The parameter scope is missing. Send the scopes you need, separated by spaces.")
	badScope = invalidScope("The scope is malformed. Send the scopes you need, separated by single spaces.")

	tooManyAttempts = &failure{http.StatusTooManyRequests, "too_many_requests",
		"Too many requests with wrong credentials for this client id. Check the client secret and try again later."}
	unavailable = &failure{http.StatusServiceUnavailable, "temporarily_unavailable",
		"The client cannot be checked at the moment. Try again."}
	serverError = &failure{http.StatusInternalServerError, "server_error", "Internal error."}
)

// refuse writes a failure.
func refuse(w http.ResponseWriter, f *failure) {
	h := w.Header()
	neverKeep(h)
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Basic realm="tenantry"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(f.status)
	_, _ = w.Write([]byte(`{"error":"` + f.code + `","error_description":"` + f.description + `"}`)) // the caller is gone
}

// neverKeep sets the headers of every answer of the token endpoint.
func neverKeep(h http.Header) {
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
}
