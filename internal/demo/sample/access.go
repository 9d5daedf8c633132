package sample

import (
	"fmt"
	"net/http"
)

// use is a tenant's wish to use a feature: one more of what has a limit. It is
// refused with 403 if the tenant has not bought it, or has used it up.
func (a *App) use(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tenants[key{r.PathValue("platform"), r.PathValue("code")}]
	if t == nil {
		answer(w, http.StatusNotFound, map[string]any{"allowed": false, "message": "There is no such tenant."})
		return
	}
	code := r.PathValue("feature")
	f := t.feature(code)
	switch {
	case f == nil:
		refuse(w, "%s has not bought %s.", t.name, nameOf(t.platform, code))
	case f.Quantity != nil && t.used[code] >= *f.Quantity:
		refuse(w, "%s has used all of its %d: %s.", t.name, *f.Quantity, f.Name)
	case f.Quantity != nil:
		t.used[code]++
		t.version = a.touch()
		answer(w, http.StatusOK, map[string]any{"allowed": true, "message": fmt.Sprintf("%s: %d of %d for %s.", f.Name, t.used[code], *f.Quantity, t.name)})
	default:
		answer(w, http.StatusOK, map[string]any{"allowed": true, "message": fmt.Sprintf("%s is on for %s.", f.Name, t.name)})
	}
}

func refuse(w http.ResponseWriter, format string, args ...any) {
	answer(w, http.StatusForbidden, map[string]any{"allowed": false, "message": fmt.Sprintf(format, args...)})
}

func nameOf(platform, code string) string {
	for _, able := range abilities[platform] {
		if able.code == code {
			return able.name
		}
	}
	return code
}
