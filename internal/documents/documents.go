// Package documents serves the files of invoices and credit notes: to whoever has a
// token that may read them, and to whoever has a signed address that has not run out.
package documents

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/oauth"
	"github.com/tenantry/tenantry/internal/print"
	"github.com/tenantry/tenantry/internal/service/invoicing"
)

// Handler serves GET /documents/{name}, a UUID with .pdf or .html.
func Handler(s *invoicing.Service, requireToken func(http.Handler) http.Handler, now func() time.Time, log *slog.Logger) http.Handler {
	h := &handler{s, now, log}
	mux := http.NewServeMux()
	withToken := requireToken(http.HandlerFunc(h.forHolder))
	mux.HandleFunc("GET /documents/{name}", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		signature := query.Get("signature")
		switch {
		case signature == "":
			withToken.ServeHTTP(w, r)
		case s.FileAddressHolds(r.PathValue("name"), query.Get("expires"), signature, now()):
			h.serve(w, r)
		default:
			http.Error(w, "This address has run out. Ask for the document again to get a new one.", http.StatusForbidden)
		}
	})
	return mux
}

type handler struct {
	invoicing *invoicing.Service
	now       func() time.Time
	log       *slog.Logger
}

// forHolder serves a file to the holder of a token.
func (h *handler) forHolder(w http.ResponseWriter, r *http.Request) {
	if p, _ := oauth.PrincipalOf(r.Context()); !p.Has(billing.BillingRead) {
		http.Error(w, "The token has no scope billing:read.", http.StatusForbidden)
		return
	}
	h.serve(w, r)
}

func (h *handler) serve(w http.ResponseWriter, r *http.Request) {
	Serve(w, r, h.invoicing, r.PathValue("name"), h.log)
}

// Serve writes a file of a document, to somebody who may have it.
func Serve(w http.ResponseWriter, r *http.Request, s *invoicing.Service, name string, log *slog.Logger) {
	uuid, isPDF := strings.CutSuffix(name, ".pdf")
	mediaType := invoicing.PDF
	if !isPDF {
		var isHTML bool
		if uuid, isHTML = strings.CutSuffix(name, ".html"); !isHTML {
			http.Error(w, "There is no such document. Its address ends with .pdf or .html.", http.StatusNotFound)
			return
		}
		mediaType = invoicing.HTML
	}
	file, err := s.File(r.Context(), uuid, mediaType)
	problems, refused := billing.AsProblems(err)
	switch {
	case refused:
		http.Error(w, problems.Error(), http.StatusNotFound)
		return
	case err != nil:
		log.ErrorContext(r.Context(), "a document was not printed", slog.String("document", uuid), slog.Any("error", err))
		http.Error(w, "The document could not be printed. The log of the server says why.", http.StatusInternalServerError)
		return
	case file == nil:
		http.Error(w, "There is no such document.", http.StatusNotFound)
		return
	}
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Disposition", `inline; filename="`+name+`"`)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("ETag", `"`+file.SHA256+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Content-Security-Policy", print.ContentSecurityPolicy)
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(file.Content)))
}
