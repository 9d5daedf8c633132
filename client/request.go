package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Do runs a GraphQL document of your own with its variables, a map or a struct
// with json tags, or nil, and decodes the data of the answer into out, a pointer
// to what has the shape of the document, or nil.
//
// If the answer has errors, they are returned as Errors; whatever data came with
// them is in out. What a mutation refuses is in its userErrors: select them.
//
// An Idempotency-Key goes with every document, which queries do not mind.
func (c *Client) Do(ctx context.Context, document string, variables, out any) error {
	return c.run(ctx, document, variables, out, true)
}

// run makes one call: as many requests as it takes.
func (c *Client) run(ctx context.Context, document string, variables, out any, once bool) error {
	body, err := json.Marshal(struct {
		Query     string `json:"query"`
		Variables any    `json:"variables,omitempty"`
	}{document, variables})
	if err != nil {
		return fmt.Errorf("tenantry: the variables are no JSON: %w", err)
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if once {
		if err := markMutation(ctx, header); err != nil {
			return err
		}
	}
	var answer *answer
	err = c.retry.do(ctx, func(ctx context.Context) error {
		response, err := c.ask(ctx, c.base+"/graphql", header, body)
		if err == nil {
			answer, err = readAnswer(response)
		}
		return err
	})
	if err != nil {
		return err
	}
	if once {
		previewOf(ctx).take(answer.Extensions.Impact)
		if err := answer.tooMany(ctx); err != nil {
			return err
		}
	}
	return answer.decode(out)
}

// markMutation adds what makes a mutation happen once, or not at all. A preview has
// no key: the mutation after it may have the same.
func markMutation(ctx context.Context, header http.Header) error {
	askPreview(ctx, header)
	if previewOf(ctx) != nil {
		return nil
	}
	key := idempotencyKey(ctx)
	if key == "" {
		var err error
		if key, err = newKey(); err != nil {
			return err
		}
	}
	header.Set("Idempotency-Key", key)
	return nil
}

type keyInContext struct{}

// WithIdempotencyKey gives the mutations that are called with the context a key
// of your own, which must be unique for each mutation. With a key that outlives
// your process, such as the id of a job, a mutation happens once even if the
// process dies and does it again. The server remembers keys for 24 hours.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, keyInContext{}, key)
}

func idempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(keyInContext{}).(string)
	return key
}

// ask makes one try, and a second if the token was refused: it may have been
// taken back, or run out on the way.
func (c *Client) ask(ctx context.Context, url string, header http.Header, body []byte) (*response, error) {
	header = header.Clone()
	header.Set("Accept", "application/json")
	for first := true; ; first = false {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return nil, &settled{err}
		}
		header.Set("Authorization", "Bearer "+token)
		response, err := c.send(ctx, url, header, body)
		if err != nil {
			return nil, err
		}
		if response.status == http.StatusUnauthorized && first {
			c.tokens.forget(token)
			continue
		}
		return response, nil
	}
}

// answer is what a GraphQL request came to.
type answer struct {
	Data       json.RawMessage `json:"data"`
	Errors     Errors          `json:"errors"`
	Extensions struct {
		Impact *Impact `json:"impact"`
	} `json:"extensions"`
}

func readAnswer(response *response) (*answer, error) {
	a := &answer{}
	if response.status != http.StatusOK {
		return nil, response.failure()
	}
	if err := json.Unmarshal(response.body, a); err != nil {
		return nil, fmt.Errorf("tenantry: the answer is no GraphQL result, is the base URL right? %w", err)
	}
	if wait, asked := retryAfter(response.header, time.Now()); asked && a.Errors.Has(CodeConflict) {
		return nil, &stillRunning{errors: a.Errors, wait: wait} // the first try with this key
	}
	return a, nil
}

func (a *answer) decode(out any) error {
	var problem error
	if out != nil && len(a.Data) > 0 && string(a.Data) != "null" {
		if err := json.Unmarshal(a.Data, out); err != nil {
			problem = fmt.Errorf("tenantry: the data of the answer does not fit: %w", err)
		}
	}
	if len(a.Errors) > 0 {
		return a.Errors
	}
	return problem
}

// response is an HTTP response that was read to its end.
type response struct {
	status int
	header http.Header
	body   []byte
}

func (r *response) failure() *HTTPError {
	e := &HTTPError{Status: r.status, Body: string(r.body[:min(len(r.body), maxErrorBody)])}
	e.RetryAfter, _ = retryAfter(r.header, time.Now())
	return e
}

// send posts a body and reads the whole response. Any error of it means that
// the connection did not work, unless the context is over.
func (c *Client) send(ctx context.Context, url string, header http.Header, body []byte) (*response, error) {
	try, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(try, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("tenantry: %w", err)
	}
	request.Header = header
	request.Header.Set("User-Agent", c.agent)
	got, err := c.http.Do(request)
	if err != nil {
		return nil, c.broken(ctx, try, err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, maxResponseSize+1))
	if err != nil {
		return nil, c.broken(ctx, try, err)
	}
	if len(text) > maxResponseSize {
		return nil, fmt.Errorf("tenantry: the answer is larger than %d bytes; ask for less at a time", maxResponseSize)
	}
	return &response{got.StatusCode, got.Header, text}, nil
}

func (c *Client) broken(ctx, try context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("tenantry: %w", context.Cause(ctx))
	}
	if errors.Is(try.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s: %w", c.timeout, err)
	}
	return &ConnectionError{Err: err}
}

// newKey makes an Idempotency-Key that nobody else has.
func newKey() (string, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("tenantry: the system has no random numbers: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}
