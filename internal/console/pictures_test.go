package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tenantry/tenantry/internal/billing"
)

// TestPictures makes pictures of pages, wide and narrow, light and dark, in the
// folder that TENANTRY_PICTURES names.
func TestPictures(t *testing.T) {
	folder := os.Getenv("TENANTRY_PICTURES")
	if folder == "" {
		t.Skip("TENANTRY_PICTURES names no folder: skipped")
	}
	s := open(t, "sqlite")
	b := s.browse(t)
	take := func(name, path string) {
		b.open(path)
		for _, width := range []int64{1280, 390} {
			for _, dark := range []bool{false, true} {
				b.size(width, dark)
				b.picture(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, map[bool]string{false: "light", true: "dark"}[dark])))
			}
		}
	}
	take("sign-in", "/sign-in")
	b.signIn(adminEmail)
	take("home-empty", "/")
	take("accounts-empty", "/accounts")
	s.fill()
	if os.Getenv("TENANTRY_PICTURES_MANY") != "" {
		for i := range 195 {
			s.addFeature(billing.Feature{Code: fmt.Sprintf("f-%d", i), Name: fmt.Sprintf("Feature %d %s", i, strings.Repeat("long ", i%9)), Kind: []billing.FeatureKind{billing.Boolean, billing.Quantity, billing.Value}[i%3]})
		}
		take("matrix-many", fmt.Sprintf("/products/%d/matrix", s.product.ID))
		return
	}
	for _, path := range s.everyPage() {
		name := strings.NewReplacer("/", "-", "?", "-", "&", "-", "=", "-").Replace(strings.Trim(path, "/"))
		if name == "" {
			name = "home"
		}
		take(name, path)
	}
}
