package graphql

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	gql "github.com/99designs/gqlgen/graphql"

	"github.com/tenantry/tenantry/internal/graphql/gen"
	"github.com/tenantry/tenantry/internal/graphql/node"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/store"
)

// requestTime bounds how long a request may take. It is shorter than the time
// after which another request may take over its idempotency key.
const requestTime = 60 * time.Second

// Handler answers /graphql. The caller's token has been checked before: see
// oauth.RequireToken.
type Handler struct {
	service   *service.Service
	exec      *executor.Executor
	schema    *ast.Schema
	documents documentCache
	maxAnswer int
	admission Admission
	refused   *prometheus.CounterVec
	log       *slog.Logger
}

// MaxAnswer is how many bytes the data of an answer has at most, unless the
// operator sets another bound.
const MaxAnswer = 32 << 20

// withoutDefer drops a directive, because an answer comes in one piece. It does
// so once: all handlers of a process share the generated schema.
var withoutDefer sync.Once

// NewHandler returns the door to those operations. maxAnswer is how many bytes
// the data of an answer may have.
func NewHandler(s *service.Service, maxAnswer int, log *slog.Logger) *Handler {
	schema := gen.NewExecutableSchema(gen.Config{
		Resolvers: &resolver{service: s, reader: &node.Reader{Service: s, Has: hasScope}},
	})
	withoutDefer.Do(func() { delete(schema.Schema().Directives, "defer") })
	h := &Handler{service: s, exec: executor.New(schema), schema: schema.Schema(), documents: newDocumentCache(), maxAnswer: maxAnswer, refused: newRefused(), log: log}
	h.exec.SetQueryCache(h.documents)
	h.exec.SetErrorPresenter(h.present)
	h.exec.SetRecoverFunc(h.recovered)
	h.exec.AroundFields(h.guard)
	return h
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A caller that has closed its side of the connection still waits for the
	// answer, and one that is gone shall not leave a mutation half done.
	ctx, cancel := context.WithTimeout(gql.StartOperationTrace(context.WithoutCancel(r.Context())), requestTime)
	defer cancel()
	media, ok := negotiate(r.Header.Values("Accept"))
	if !ok {
		refuse(w, mediaJSON, http.StatusNotAcceptable, codeBadInput, "The answer is application/json or application/graphql-response+json; accept one of them.")
		return
	}
	g, ok := h.admit(w, r, media)
	if !ok {
		return
	}
	defer g.gone()
	w = g
	params, problem := readRequest(w, r)
	if problem != nil {
		problem.write(w, media)
		return
	}
	ctx, ok = g.enter(ctx, media)
	if !ok {
		return
	}
	operation, errs := h.prepare(ctx, params)
	if len(errs) > 0 {
		h.refuseDocument(ctx, w, media, errs)
		return
	}
	if r.Method == http.MethodGet && operation.Operation.Operation == ast.Mutation {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, media, http.StatusMethodNotAllowed, codeBadInput, "A mutation changes things: send it with POST.")
		return
	}
	h.run(ctx, w, r, media, params, operation)
}

// prepare parses and validates the document and checks the variables and the
// limits.
func (h *Handler) prepare(ctx context.Context, params *gql.RawParams) (*gql.OperationContext, gqlerror.List) {
	doc, errs := h.document(ctx, params.Query)
	if len(errs) > 0 {
		return nil, errs
	}
	operation, errs := h.exec.CreateOperationContext(withDocument(ctx, doc), params)
	if operation.Operation == nil {
		return nil, noOperation(params.OperationName)
	}
	if errs := h.checkVariables(operation.Operation, params.Variables); len(errs) > 0 {
		return nil, errs
	}
	if len(errs) > 0 {
		return nil, errs
	}
	operation.DisableIntrospection = false
	return operation, checkLimits(operation)
}

// noOperation says that it is not clear which operation is meant.
func noOperation(name string) gqlerror.List {
	e := gqlerror.Errorf("There is no operation %q in the document.", name)
	if name == "" {
		e = gqlerror.Errorf("The document has several operations: say in operationName which one is meant.")
	}
	errcode.Set(e, errcode.ValidationFailed)
	return gqlerror.List{e}
}

// run executes an operation that is in order.
func (h *Handler) run(ctx context.Context, w http.ResponseWriter, r *http.Request, media string, params *gql.RawParams, operation *gql.OperationContext) {
	if operation.Operation.Operation == ast.Mutation && !h.rehearse(ctx, w, r, media, operation) {
		return
	}
	ctx, release, err := h.claim(ctx, r, params, operation)
	if err != nil {
		h.refuseClaim(ctx, w, media, err)
		return
	}
	defer release()
	data := node.NewAnswer(h.maxAnswer)
	ctx, shown := withErrorCount(store.WithAllowance(node.WithAnswer(ctx, data), data.Read))
	response := h.execute(ctx, operation, data)
	release()            // before the caller knows the answer and may ask again
	if response == nil { // it took too long
		refuse(w, media, http.StatusServiceUnavailable, codeUnavailable, tookTooLong+tryAgain+".")
		return
	}
	inOrder(response.Errors)
	if !data.IsFull() {
		response.Errors = append(response.Errors, shown.rest()...)
	}
	defer h.makeWay(ctx, w, data.Size())()
	write(w, media, http.StatusOK, data, response.Errors)
}

// execute runs an operation and writes its data, up to the bytes it may have.
func (h *Handler) execute(ctx context.Context, operation *gql.OperationContext, data *node.Answer) (response *gql.Response) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case node.TooLarge: // the errors so far are of no use to anybody
			data.Reset()
			_, _ = data.WriteString("null")
			h.refused.WithLabelValues("answer").Inc()
			kind := operation.Operation.Operation
			if store.Rehearsing(ctx) {
				kind = ast.Query // nothing was done
			}
			response = &gql.Response{Errors: tooLarge(kind, h.maxAnswer)}
		default:
			panic(ended)
		}
	}()
	responses, ctx := h.exec.DispatchOperation(ctx, operation)
	return responses(ctx)
}

// tooLarge says that an answer has too many bytes to be sent.
func tooLarge(operation ast.Operation, most int) gqlerror.List {
	if operation == ast.Mutation {
		return tooMuch("What was asked for is done, but the answer would be larger than %d bytes. Ask for fewer fields.", most)
	}
	return tooMuch("The answer would be larger than %d bytes. Ask for fewer at a time with limit or first, or for fewer fields.", most)
}

// refuseDocument answers a request whose document does not parse or validate,
// or is over a limit. To clients of plain JSON any well-formed request answers
// 200: that is how they know it came from GraphQL and not from a proxy.
func (h *Handler) refuseDocument(ctx context.Context, w http.ResponseWriter, media string, errs gqlerror.List) {
	status := http.StatusOK
	if media == mediaGraphQL {
		status = http.StatusBadRequest
	}
	shown := h.exec.DispatchError(ctx, errs).Errors
	h.countRefused(shown)
	write(w, media, status, nil, shown)
}
