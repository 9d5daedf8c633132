package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// What the generated calls have in common.

// Page says which part of a list a connection is asked for.
type Page struct {
	// First is how many entries the page has at most, from 1 to 1000; 0 means 50.
	First int
	// After is the cursor behind which the page starts; empty for the beginning.
	After string
	// Total asks for TotalCount, which costs the server a count.
	Total bool
}

// Connection is one page of a list.
type Connection[T any] struct {
	Nodes    []T      `json:"nodes"`
	PageInfo PageInfo `json:"pageInfo"`
	// TotalCount is how many entries all pages have together; nil unless the
	// Page asked for it.
	TotalCount *int `json:"totalCount"`
}

type variables map[string]any

// text leaves out what is empty, and number what is zero: for arguments where
// those mean nothing.
func (v variables) text(name, value string) variables {
	if value != "" {
		v[name] = value
	}
	return v
}

func (v variables) number(name string, value int) variables {
	if value != 0 {
		v[name] = value
	}
	return v
}

func (v variables) page(page Page) variables {
	v["total"] = page.Total
	return v.number("first", page.First).text("after", page.After)
}

func put[T any](v variables, name string, value Optional[T]) {
	if !value.IsZero() {
		v[name] = value
	}
}

// query runs a document with one field and decodes that.
func query[T any](ctx context.Context, c *Client, document string, v variables) (T, error) {
	var data map[string]T
	var value T
	err := c.run(ctx, document, v, &data, false)
	for _, value = range data {
	}
	return value, err
}

// find is query for a field that is null when there is no such thing.
func find[T any](ctx context.Context, c *Client, document string, v variables) (*T, error) {
	found, err := query[*T](ctx, c, document, v)
	if err == nil && found == nil {
		err = ErrNotFound
	}
	return found, err
}

// change runs a mutation and decodes its payload, unless that says that the
// mutation was refused.
func change[T any](ctx context.Context, c *Client, document string, v variables) (*T, error) {
	var data map[string]json.RawMessage
	if err := c.run(ctx, document, v, &data, true); err != nil {
		return nil, err
	}
	if p := previewOf(ctx); p != nil && !p.given {
		return nil, errNoPreview
	}
	for _, text := range data {
		var refused struct{ UserErrors UserErrors }
		payload := new(T)
		if err := errors.Join(json.Unmarshal(text, &refused), json.Unmarshal(text, &payload)); err != nil {
			return nil, fmt.Errorf("tenantry: the data of the answer does not fit: %w", err)
		}
		if len(refused.UserErrors) > 0 {
			return nil, refused.UserErrors
		}
		if payload != nil {
			return payload, nil
		}
	}
	return nil, errors.New("tenantry: the answer has no data")
}

// changeOne is change for a mutation whose payload is one thing.
func changeOne[T any](ctx context.Context, c *Client, document, field string, v variables) (T, error) {
	payload, err := change[map[string]json.RawMessage](ctx, c, document, v)
	var value T
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal((*payload)[field], &value); err != nil {
		return value, fmt.Errorf("tenantry: the data of the answer does not fit: %w", err)
	}
	return value, nil
}

const pageSize = 200

// all goes through every page of a list. It ends at the first error.
func all[T any](next func(Page) (*Connection[T], error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		page := Page{First: pageSize}
		for {
			connection, err := next(page)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, node := range connection.Nodes {
				if !yield(node, nil) {
					return
				}
			}
			if !connection.PageInfo.HasNextPage || connection.PageInfo.EndCursor == nil {
				return
			}
			page.After = *connection.PageInfo.EndCursor
		}
	}
}
