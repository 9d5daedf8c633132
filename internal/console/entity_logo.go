package console

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/ui"
)

// logoInput takes a picture as a file. Without JavaScript it takes the text that
// the file becomes.
func logoInput(e *billing.Entity) ui.Input[billing.Entity] {
	in := ui.TextArea("logo", "Logo", func(e *billing.Entity) **string { return &e.Logo }).Kind(ui.FieldPicture).
		Help("A PNG or JPEG picture of up to " + ui.Grouped(billing.MaxLogoBytes) + " bytes.")
	in.Placeholder = "data:image/png;base64,…"
	if e.ID != 0 && e.Logo != nil {
		in.Picture = entityPages.href(e.ID) + "/logo"
	}
	return in
}

// showLogo answers with the logo of an entity. Pages may not load pictures from
// data URLs, which is how it is kept.
func showLogo(c *call, e *billing.Entity) error {
	kind, data, ok := pictureIn(ui.Deref(e.Logo))
	if !ok {
		return missing("logo", ui.Link{Text: "Back to the entity", Href: entityPages.href(e.ID)})
	}
	h := c.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, no-cache")
	c.w.WriteHeader(http.StatusOK)
	_, err := c.w.Write(data)
	return err
}

// pictureIn is the picture in a data URL.
func pictureIn(address string) (kind string, data []byte, ok bool) {
	head, text, found := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	data, err := base64.StdEncoding.DecodeString(text)
	return head, data, found && err == nil && (head == "image/png" || head == "image/jpeg")
}
