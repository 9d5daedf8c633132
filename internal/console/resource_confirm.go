package console

import (
	"context"
	"maps"
	"slices"

	"github.com/tenantry/tenantry/internal/ui"
)

// asksFirst is what is asked before something is made that others are told of; nil
// if nothing is, or if that was answered.
func (r *resource[T, K]) asksFirst(c *call, create func(context.Context) (*T, error)) (*ui.Confirmation, error) {
	if r.confirm == nil || c.value("confirmed") != "" {
		return nil, nil
	}
	data, err := r.confirm(c)
	if data == nil || err != nil {
		return nil, err
	}
	_, err = c.service.PreviewOf(c.asking(), func(ctx context.Context) error {
		_, err := create(ctx)
		return err
	})
	if err != nil {
		return nil, err // nobody is asked about what cannot be
	}
	data.Action, data.Cancel = "/"+r.path+"/new", ui.Link{Text: "Cancel", Href: "/" + r.path}
	for _, name := range slices.Sorted(maps.Keys(c.r.PostForm)) {
		for _, value := range c.r.PostForm[name] {
			if name != ui.TokenField {
				data.Fields = append(data.Fields, ui.Pair{Name: name, Value: value})
			}
		}
	}
	data.Fields = append(data.Fields, ui.Pair{Name: "confirmed", Value: "yes"})
	return data, nil
}
