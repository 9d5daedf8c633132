package console

import (
	"net/http"
	"slices"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// allRoutes is every address of the console.
func allRoutes() []route {
	all := slices.Concat(
		[]route{
			{pattern: "GET /{$}", scope: billing.StandardRead, do: showHome},
			{pattern: "GET /sign-in", open: true, do: showSignIn},
			{pattern: "POST /sign-in", open: true, do: signIn},
			{pattern: "POST /sign-out", open: true, do: signOut},
			{pattern: "POST " + ReceiverPath, open: true, do: takeWebhook},
			{pattern: "GET /profile", do: showProfile},
			{pattern: "POST /profile/password", do: changePassword},
			{pattern: "POST /profile/sign-out-everywhere", open: true, do: signOutEverywhere},
			{pattern: "POST /session/token", do: makeToken},
			{pattern: "GET /session/menu", open: true, do: showMenu},
			{pattern: "GET /lookup/accounts", scope: billing.StandardRead, do: lookupAccounts},
			{pattern: "GET /lookup/tenants", scope: billing.StandardRead, do: lookupTenants},

			{pattern: "GET /subscriptions", scope: billing.StandardRead, do: listSubscriptions},
			{pattern: "GET /subscriptions/{id}", scope: billing.StandardRead, do: on(findSubscription, showSubscription)},
			{pattern: "POST /subscriptions/{id}/take-back", scope: billing.StandardWrite, do: on(findSubscription, takeBack)},
			{pattern: "GET /tenants/{id}/events/{sequence}", scope: billing.StandardRead, do: on(tenantPages.find, showTenantEvent)},
			{pattern: "GET /tenants/{id}/sync", scope: billing.StandardWrite, do: on(tenantPages.find, askSync)},
			{pattern: "POST /tenants/{id}/sync", scope: billing.StandardWrite, do: on(tenantPages.find, syncTenant)},
			{pattern: "GET /events", scope: billing.StandardRead, do: listEvents},
			{pattern: "GET /events/{id}", scope: billing.StandardRead, do: on(findEvent, showEvent)},
			{pattern: "GET /events/{id}/resend", scope: billing.StandardWrite, do: on(findEvent, askResend)},
			{pattern: "POST /events/{id}/resend", scope: billing.StandardWrite, do: on(findEvent, resend)},
			{pattern: "GET /events/resend", scope: billing.StandardWrite, do: askResendMany},
			{pattern: "POST /events/resend", scope: billing.StandardWrite, do: resendAll},
			{pattern: "GET /products/{id}/matrix", scope: billing.StandardRead, do: showMatrix},
			{pattern: "POST /products/{id}/matrix", scope: billing.StandardWrite, do: saveMatrix},

			{pattern: "GET /jobs", scope: billing.StandardRead, do: listJobs},
			{pattern: "GET /jobs/{id}", scope: billing.StandardRead, do: showJob},

			{pattern: "GET " + resumePath, scope: billing.AdminWrite, do: askGoOn},
			{pattern: "POST " + resumePath, scope: billing.AdminWrite, do: goOn},

			{pattern: "GET /audit", scope: billing.AdminRead, do: listAudit},
			{pattern: "GET /audit/{id}", scope: billing.AdminRead, do: showAudit},
		},
		newSubscriptionRoutes(), workflowRoutes(), eventEndpointRoutes(), driftRoutes(), userAbleRoutes(), billingRoutes(),
		askAdvance.routes("test-clocks", clockPages.find, billing.StandardWrite),
		askRenewal.routes("api-clients", clientPages.find, billing.AdminWrite),
		askPassword.routes("users", userPages.find, billing.AdminWrite),
	)
	for _, group := range menu() {
		for _, entry := range group.entries {
			if pages, ok := entry.(interface{ routes() []route }); ok {
				all = append(all, pages.routes()...)
			}
		}
	}
	for _, a := range subscriptionActions {
		all = append(all, a.routes()...)
	}
	return all
}

// routes answers at every address of the console.
func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	for _, r := range allRoutes() {
		mux.Handle(r.pattern, c.handle(r))
	}
	mux.Handle("GET "+ui.AssetPath, c.views.Assets)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		// Nobody is at this address, or not for this method. The mux knows
		// which, and the page says it.
		r.Pattern = "" // of no route
		found := &answered{header: http.Header{}}
		answer.ServeHTTP(found, r)
		if allow := found.header.Get("Allow"); allow != "" {
			w.Header().Set("Allow", allow)
		}
		c.handle(route{open: true, do: func(*call) error {
			if found.status == http.StatusMethodNotAllowed {
				return errWrongMethod
			}
			return errNoPage
		}}).ServeHTTP(w, r)
	})
}

// answered takes an answer of which only the status and the header matter.
type answered struct {
	header http.Header
	status int
}

func (a *answered) Header() http.Header         { return a.header }
func (a *answered) Write(p []byte) (int, error) { return len(p), nil }
func (a *answered) WriteHeader(status int)      { a.status = status }
