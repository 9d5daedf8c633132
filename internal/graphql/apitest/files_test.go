package apitest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestFiles opens the files of documents by their addresses: without a token, for 15
// minutes, the same bytes each time.
func TestFiles(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { entityCreate(attributes: {code: "main", name: "Seller GmbH", country: "DE", invoicingStartsOn: "2026-01-01"}) { errors } }`)
		account := s.do(t, `mutation { accountCreate(attributes: {name: "Acme", code: "acme", billingCountry: "DE"}) { account { id } } }`).at("accountCreate.account.id").text()
		const create = `mutation ($a: ID!, $draft: Boolean) { invoiceCreate(accountId: $a, attributes: {currencyId: "EUR", draft: $draft, items: [{lineText: "Advice", amount: "10.00"}]}) { invoice { id files { mediaType sha256 url } } } }`
		first := s.do(t, create, "a", account, "draft", false).at("invoiceCreate.invoice.id").text()
		s.do(t, create, "a", account, "draft", true)
		s.do(t, `mutation ($id: ID!) { invoiceCredit(invoiceId: $id, reason: "a present") { creditNote { id } errors } }`, "id", first)

		const list = `query ($n: Int) { invoices(limit: $n) { number files { mediaType sha256 url } creditNotes { files { mediaType sha256 url } } } }`
		found := s.do(t, list, "n", 2)
		for _, file := range []struct{ path, mediaType, again string }{
			{"invoices.0.files.0", "application/pdf", "its sum"},
			{"invoices.0.files.1", "text/html; charset=utf-8", "its sum"},
			{"invoices.0.creditNotes.0.files.0", "application/pdf", "its sum"},
			{"invoices.1.files.0", "application/pdf", ""}, // a draft is printed anew each time
		} {
			url := found.at(file.path + ".url").text()
			if found.at(file.path+".mediaType").text() != file.mediaType || found.at(file.path+".sha256").value != nil || !strings.HasPrefix(url, s.url+"/documents/") {
				t.Errorf("%s: %s", file.path, found.at(file.path).text())
			}
			status, sum := s.open(t, url)
			if status != http.StatusOK {
				t.Errorf("%s: status %d", url, status)
			}
			want := ""
			if file.again != "" {
				want = sum
			}
			if now, _ := s.do(t, list, "n", 2).at(file.path + ".sha256").value.(string); now != want {
				t.Errorf("%s has the sum %s, want %s", file.path, now, want)
			}
			if status, _ := s.open(t, strings.Replace(url, "signature=", "signature=A", 1)); status != http.StatusForbidden {
				t.Errorf("with another signature: status %d", status)
			}
		}
		url := found.at("invoices.0.files.0.url").text()
		s.clock.Advance(15 * time.Minute)
		if status, _ := s.open(t, url); status != http.StatusForbidden {
			t.Errorf("after 15 minutes: status %d", status)
		}
		if one, two := s.statementsOf(t, list, 1), s.statementsOf(t, list, 2); one != two {
			t.Errorf("%d statements for one invoice, %d for two", one, two)
		}
	})
}

// TestFilesWithAToken opens files by their plain address, which takes a token that may
// read them.
func TestFilesWithAToken(t *testing.T) {
	each(t, func(t *testing.T, s *server) {
		s.do(t, `mutation { entityCreate(attributes: {code: "main", name: "Seller GmbH", country: "DE", invoicingStartsOn: "2026-01-01"}) { errors } }`)
		account := s.do(t, `mutation { accountCreate(attributes: {name: "Acme", code: "acme", billingCountry: "DE"}) { account { id } } }`).at("accountCreate.account.id").text()
		signed := s.do(t, `mutation ($a: ID!) { invoiceCreate(accountId: $a, attributes: {currencyId: "EUR", items: [{lineText: "Advice", amount: "10.00"}]}) { invoice { files { url } } } }`,
			"a", account).at("invoiceCreate.invoice.files.0.url").text()
		plain, _, _ := strings.Cut(signed, "?")
		tokenFor := func(scopes string) string {
			token, err := s.token(grant{firstID, firstSecret, scopes})
			if err != nil {
				t.Fatal(err)
			}
			return token
		}
		for _, c := range []struct {
			name, token string
			want        int
		}{
			{"no token", "", http.StatusUnauthorized},
			{"no token of ours", "eyJhbGciOiJub25lIn0.e30.", http.StatusUnauthorized},
			{"without the scope", tokenFor("standard:read billing:write"), http.StatusForbidden},
			{"with the scope", tokenFor("billing:read"), http.StatusOK},
		} {
			if status, _ := s.openWith(t, plain, c.token); status != c.want {
				t.Errorf("%s: status %d, want %d", c.name, status, c.want)
			}
		}
	})
}

// open reads a file without a token, and returns the SHA-256 of its bytes.
func (s *server) open(t *testing.T, url string) (status int, sum string) {
	t.Helper()
	return s.openWith(t, url, "")
}

// openWith is open with a token, if that is not empty.
func (s *server) openWith(t *testing.T, url, token string) (status int, sum string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(body)
	return response.StatusCode, hex.EncodeToString(hash[:])
}
