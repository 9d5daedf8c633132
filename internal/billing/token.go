package billing

// Scopes of access tokens.
const (
	StandardRead  = "standard:read"
	StandardWrite = "standard:write"
	// PlatformWrite is where webhooks go and what they carry.
	PlatformWrite = "platform:write"
	// BillingRead and BillingWrite are about invoices and who issues them.
	BillingRead  = "billing:read"
	BillingWrite = "billing:write"
	AdminRead    = "admin:read"
	AdminWrite   = "admin:write"
)

// Scopes lists every scope there is, in the order in which they are shown.
var Scopes = []string{StandardRead, StandardWrite, BillingRead, BillingWrite, PlatformWrite, AdminRead, AdminWrite}

// Lifetimes of access tokens, in seconds.
const (
	DefaultTokenSeconds = 7200
	MaxTokenSeconds     = 30 * 24 * 3600
)
