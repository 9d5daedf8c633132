package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

func TestNobodySeesAnythingWithoutSigningIn(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	v := s.visit()
	for _, path := range s.everyPage() {
		if a := v.wants(v.get(path), 200, "Sign in to Tenantry"); a.path != "/sign-in" || strings.Contains(a.body, "Acme") {
			t.Errorf("%s shows %s", path, a.text())
		}
	}
	for _, path := range []string{"/accounts/new", "/accounts/1/edit", "/accounts/1/delete", "/session/token", "/profile/password", "/users/1/password"} {
		v.wants(v.post(path, "name", "Eve"), 401, "Sign in to Tenantry")
	}
	v.wants(v.get("/nowhere"), 404, "There is no such page")
	v.wants(v.send(http.MethodDelete, "/accounts/1", nil), 405)
}

func TestCookiesOfTheSession(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.visit()
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a := v.post("/sign-in", "email", adminEmail, "password", password, "next", "https://evil.example.com/")
	cookies := a.header.Values("Set-Cookie")
	cookie := cookies[slices.IndexFunc(cookies, func(c string) bool { return strings.HasPrefix(c, "tenantry_session=") })]
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie has no %s: %s", want, cookie)
		}
	}
	if a.status != 303 || a.header.Get("Location") != "/" {
		t.Errorf("signing in answers %d and sends to %q", a.status, a.header.Get("Location"))
	}
	for _, next := range []string{"//evil.example.com", `/\evil.example.com`, "javascript:alert(1)", "\thttps://evil.example.com"} {
		other := s.visit()
		other.client.CheckRedirect = v.client.CheckRedirect
		if a := other.post("/sign-in", "email", adminEmail, "password", password, "next", next); strings.Contains(a.header.Get("Location"), "evil") || strings.Contains(a.header.Get("Location"), "javascript") {
			t.Errorf("%q sends to %q", next, a.header.Get("Location"))
		}
	}
}

func TestViewersAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	s.fill()
	viewer, editor, admin := s.as(billing.Viewer), s.as(billing.Editor), s.as(billing.Admin)
	if a := viewer.get("/accounts"); strings.Contains(a.body, "/accounts/new") || strings.Contains(a.body, "/audit") || strings.Contains(a.body, "/users") {
		t.Error("a viewer is offered what is refused")
	}
	for _, path := range []string{"/accounts/new", "/accounts/1/edit", "/accounts/1/delete", "/subscriptions/1/cancel", "/subscriptions/new", "/test-clocks/new"} {
		viewer.wants(viewer.get(path), 403, "Your role is viewer", "An editor or admin can do it")
		viewer.wants(viewer.post(path, "name", "x"), 403)
		editor.wants(editor.get(path), 200)
	}
	for _, path := range []string{"/users", "/users/new", "/users/1", "/users/1/password", "/api-clients", "/api-clients/1", "/api-clients/1/renew", "/audit", "/audit/1"} {
		viewer.wants(viewer.get(path), 403, "An admin can do it")
		editor.wants(editor.get(path), 403)
		admin.wants(admin.get(path), 200)
	}
	for _, path := range []string{"/platforms/1/workflow", "/platforms/1/test"} { // where webhooks go is a power of its own
		for _, v := range []*visitor{viewer, editor} {
			v.wants(v.get(path), 403, "An admin can do it")
			v.wants(v.post(path, "recipe.url", "https://evil.example.com", "fields", "recipe.url"), 403)
		}
		admin.wants(admin.get(path), 200)
	}
	editor.wants(editor.post("/platforms/1/workflow/preview"), 403)
	editor.wants(editor.post("/platforms/1/signing", "overlapHours", "0", "fields", "overlapHours"), 403)
	editor.wants(editor.get("/platforms/1/edit"), 200, "Only admins can set where webhooks go.")
	editor.wants(editor.post("/platforms/1/edit", "name", "Renamed", "webhookUrl", "https://evil.example.com", "webhookAuthToken", "stolen",
		"fields", "name webhookUrl webhookAuthToken"), 200, "Renamed")
	if a := admin.get("/platforms/1"); strings.Contains(a.body, "evil") || strings.Contains(a.body, "stolen") || !strings.Contains(a.body, "Renamed") {
		t.Errorf("an editor changed where webhooks go: %s", a.text())
	}
	viewer.wants(viewer.post("/products/1/matrix", "1.1", "9"), 403)
	viewer.wants(viewer.get("/products/1/matrix"), 200, "disabled")
	viewer.wants(viewer.get("/subscriptions/1"), 200)
}

func TestOtherSitesAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Admin)
	for _, header := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example.com"}},
		{"Sec-Fetch-Site": {"same-site"}, "Origin": {"https://evil.example.com"}},
		{"Origin": {"https://evil.example.com"}},
	} {
		v.header = header
		v.wants(v.post("/accounts/new", "name", "Eve", "fields", "name"), 403, "This came from another site")
		v.wants(v.post("/sign-out"), 403)
		v.wants(v.post("/session/token"), 403)
		v.wants(v.get("/accounts"), 200) // links are good
	}
	v.header = http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {s.url}}
	v.wants(v.get("/accounts"), 200, "An account is one of your customers")
	v.wants(v.post("/accounts/new", "name", "Ann", "billingDay", "1", "fields", "name billingDay"), 200, "Created account")
}

func TestSignInIsThrottled(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.visit()
	for range 5 {
		v.wants(v.post("/sign-in", "email", adminEmail, "password", "wrong"), 401, "The e-mail address or the password is wrong.", adminEmail)
	}
	a := v.wants(v.post("/sign-in", "email", strings.ToUpper(adminEmail), "password", password), 429, "Too many attempts. Try again in 30 seconds.")
	if a.header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	// Others are not kept out by it.
	s.as(billing.Viewer)
	s.clock.Advance(30 * time.Second)
	v.signIn(adminEmail)
	for range 10 { // it is forgotten what was wrong before, and a browser of the user's may try more
		v.wants(v.post("/sign-in", "email", adminEmail, "password", "wrong"), 401)
	}
	s.clock.Advance(time.Second)
	v.wants(v.post("/sign-in", "email", adminEmail, "password", password), 429)
	for i := range 120 {
		if a := s.visit().post("/sign-in", "email", strings.Repeat("x", i+1)+"@example.com", "password", "wrong"); a.status == 429 {
			return
		}
	}
	t.Error("one address can try as many users as it likes")
}

func TestUnknownAndKnownUsersLookAlike(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	known := s.visit().post("/sign-in", "email", adminEmail, "password", "wrong wrong wrong").text()
	unknown := s.visit().post("/sign-in", "email", "bob@example.com", "password", "wrong wrong wrong").text()
	if known != unknown {
		t.Errorf("known: %s\nunknown: %s", known, unknown)
	}
}

func TestASessionThatEndedKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Editor)
	page := v.wants(v.get("/accounts/new"), 200)
	s.clock.Advance(billing.SessionIdle)
	asked := v.wants(v.submit(page, "name", `Müller & "Söhne" <GmbH>`, "billingDay", "7"), 401, "what you typed is kept")
	back := v.wants(v.submit(asked, "email", "editor@example.com", "password", password), 200, "Welcome back", `Müller & "Söhne" <GmbH>`)
	if strings.Contains(back.body, `"Söhne" <GmbH>`) {
		t.Error("what was typed is not escaped")
	}
	v.wants(v.get("/accounts"), 200, "An account is one of your customers") // nothing was saved yet
	v.wants(v.submit(back), 200, "Created account", `Müller & "Söhne" <GmbH>`)

	s.clock.Advance(billing.SessionLife)
	if a := v.get("/accounts?q=x"); a.path != "/sign-in" || !strings.Contains(a.text(), "Your session has ended") {
		t.Errorf("an ended session shows %s", a.text())
	}
	// A password that was typed is not carried along.
	admin := s.as(billing.Admin)
	form := admin.get("/users/new")
	s.clock.Advance(billing.SessionLife)
	if a := admin.submit(form, "email", "eve@example.com", "password", "a password of eve"); strings.Contains(a.body, "a password of eve") {
		t.Error("a password is in the page")
	}
}

// TestAPageLeftOpenIsNotUse lets the log renew itself until the session ends.
func TestAPageLeftOpenIsNotUse(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Viewer)
	polling := *v
	polling.header = http.Header{"Hx-Request": {"true"}, "Hx-Trigger": {"list"}}
	for range 3 {
		s.clock.Advance(3 * time.Hour)
		polling.wants(polling.get("/events"), 200)
	}
	v.wants(v.get("/events"), 200) // somebody looks
	s.clock.Advance(11 * time.Hour)
	polling.wants(polling.get("/events"), 200)
	s.clock.Advance(2 * time.Hour)
	if a := polling.get("/events"); a.status != 401 {
		t.Errorf("the session goes on: %d", a.status)
	}
}

func TestSigningOut(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	here, there := s.as(billing.Admin), s.as(billing.Admin)
	here.wants(here.get("/profile"), 200, "Go-http-client", "127.0.0.1")
	here.wants(here.post("/sign-out"), 200, "Sign in to Tenantry")
	here.wants(here.get("/accounts"), 200, "Sign in to Tenantry")
	there.wants(there.get("/accounts"), 200, "New account")
	here.signIn(adminEmail)
	here.wants(here.post("/profile/sign-out-everywhere"), 200, "Sign in to Tenantry")
	there.wants(there.get("/accounts"), 200, "Sign in to Tenantry")
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v, other := s.as(billing.Editor), s.as(billing.Editor)
	v.wants(v.post("/profile/password", "currentPassword", "wrong", "password", "another "+password), 422, "This is not your password.")
	v.wants(v.post("/profile/password", "currentPassword", password, "password", "short"), 422, "A password has 12 characters or more")
	v.wants(v.post("/profile/password", "currentPassword", password, "password", "another "+password), 200, "Your password was changed")
	other.wants(other.get("/accounts"), 200, "Sign in to Tenantry")
	v.wants(v.get("/accounts"), 200, "New account")

	admin := s.as(billing.Admin)
	admin.wants(admin.post("/users/2/password", "password", "short"), 422, "12 characters")
	admin.wants(admin.post("/users/2/password", "password", password), 200, "The password was set.")
	v.wants(v.get("/accounts"), 200, "Sign in to Tenantry")
	v.signIn("editor@example.com")
	admin.wants(admin.post("/users/1/delete"), 409, "This is the last admin")
	admin.wants(admin.post("/users/2/delete"), 200, "Deleted user")
	v.wants(v.get("/accounts"), 200, "Sign in to Tenantry")
}

func TestDisabledUsers(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v, admin := s.as(billing.Editor), s.as(billing.Admin)
	admin.wants(admin.get("/users/2"), 200, `href="/users/2/disable"`)
	admin.wants(admin.get("/users/2/disable"), 200, "signed out everywhere within a second")
	admin.wants(admin.post("/users/2/disable"), 200, "Disabled user", "cannot sign in", `href="/users/2/enable"`)
	v.wants(v.get("/accounts"), 200, "Sign in to Tenantry")
	v.wants(v.post("/sign-in", "email", "editor@example.com", "password", password), 401, "The e-mail address or the password is wrong.")
	admin.wants(admin.get("/users?q=disabled:true"), 200, "editor@example.com", "disabled")
	admin.wants(admin.post("/users/2/enable"), 200, "Enabled user")
	v.signIn("editor@example.com")
	v.wants(v.get("/users/1/disable"), 403)
	v.wants(v.post("/users/1/disable"), 403)

	if a := admin.get("/users/1"); strings.Contains(a.body, "/users/1/disable") {
		t.Error("the page offers an admin to disable oneself")
	}
	admin.wants(admin.get("/users/1/disable"), 200, "You cannot disable yourself")
	admin.wants(admin.post("/users/1/disable"), 409, "You cannot disable yourself")
	admin.wants(admin.get("/audit?q=userDisable"), 200, "Disabled the user")
}

func TestTheTokenOfTheConsoleWorksForTheAPI(t *testing.T) {
	t.Parallel()
	s := open(t, "sqlite")
	v := s.as(billing.Editor)
	a := v.wants(v.post("/session/token"), 200)
	_, rest, _ := strings.Cut(a.body, `"token":"`)
	token, _, _ := strings.Cut(rest, `"`)
	ask := func(header http.Header) answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/graphql",
			strings.NewReader(`{"query":"mutation { accountCreate(attributes: {name: \"By the API\"}) { account { id } errors } }"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = header
		r.Header.Set("Content-Type", "application/json")
		res, err := v.client.Do(r) // with the cookie
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return answer{status: res.StatusCode}
	}
	if a := ask(http.Header{}); a.status != 401 {
		t.Errorf("the API takes the cookie: %d", a.status)
	}
	if a := ask(http.Header{"Authorization": {"Bearer " + token}}); a.status != 200 {
		t.Errorf("the API answers %d", a.status)
	}
	admin := s.as(billing.Admin)
	admin.wants(admin.get("/audit?q=accountCreate"), 200, "user editor@example.com")
}
