package transfer

import (
	"context"
	"strings"
	"time"
	"unicode"

	"github.com/tenantry/tenantry/internal/billing"
	"github.com/tenantry/tenantry/internal/service"
	"github.com/tenantry/tenantry/internal/service/customers"
	"github.com/tenantry/tenantry/internal/service/operation"
	"github.com/tenantry/tenantry/internal/store"
)

// Options say how a file is imported.
type Options struct {
	// Webhooks says whether tenants are told. If not, their applications are
	// taken to know already what the file says.
	Webhooks bool
	// CheckOnly leaves everything as it is.
	CheckOnly bool
	// MaxErrors is how many errors are told; all are counted.
	MaxErrors int
	// Progress is told how far a step has come, if it is not nil.
	Progress func(step string, done, total int)
	// Rest lets others work between two batches, which took so long, if it is
	// not nil.
	Rest func(ctx context.Context, took time.Duration) error
	// Now is the clock that batches are timed with.
	Now func() time.Time
}

// Tally counts what became of the lines of one type.
type Tally struct{ Created, Changed, Unchanged int }

func (t *Tally) count(f operation.ImportResult) {
	switch f {
	case operation.Created:
		t.Created++
	case operation.Changed:
		t.Changed++
	default:
		t.Unchanged++
	}
}

// Result is what an import came to, or with CheckOnly would come to.
type Result struct {
	Lines   int
	Tallies map[string]*Tally
}

// importer is an import under way.
type importer struct {
	Options
	st      *store.Store
	svc     *service.Service
	src     *Source
	today   billing.Date
	catalog *knownCatalog
	wrong   problems
	result  Result
	// places are the lines of each type, and seen where each thing is.
	places map[string][]place
	seen   map[string]map[string]int32
	// tenantAccount is whose the tenants of the file are, and nth which of the
	// contacts that are alike a line means.
	tenantAccount map[string]string
	nth           map[int32]int
	billingOf     map[string]int32
	emails        map[string][]string // of the contacts of an account
}

// Import reads a file, checks all of it, and then writes it in batches. With an
// InvalidError nothing was written.
func Import(ctx context.Context, st *store.Store, svc *service.Service, src *Source, o Options) (*Result, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	i := &importer{
		Options: o, st: st, svc: svc, src: src, places: map[string][]place{}, seen: map[string]map[string]int32{},
		tenantAccount: map[string]string{}, nth: map[int32]int{}, billingOf: map[string]int32{}, emails: map[string][]string{},
		result: Result{Tallies: map[string]*Tally{}},
	}
	for _, kind := range Kinds {
		i.seen[kind], i.result.Tallies[kind] = map[string]int32{}, &Tally{}
	}
	zone, err := svc.Calendar.TimeZone(ctx)
	if err != nil {
		return nil, err
	}
	i.today = billing.DateOf(o.Now(), zone)
	if err := i.scan(ctx); err != nil {
		return nil, err
	}
	if err := i.check(ctx); err != nil {
		return nil, err
	}
	if err := i.wrong.err(o.MaxErrors); err != nil || o.CheckOnly {
		return &i.result, err
	}
	for _, kind := range Kinds {
		i.result.Tallies[kind] = &Tally{}
	}
	return &i.result, i.write(ctx)
}

// keyText is what a thing is found by in a map.
func keyText(parts []string) string { return strings.Join(parts, "\x00") }

// scan reads the file for the first time: each line by itself, and which things
// there are.
func (i *importer) scan(ctx context.Context) error {
	return i.src.each(func(at place, text []byte, err error) error {
		if i.result.Lines++; i.result.Lines%pageSize == 0 {
			i.Progress("reading", i.result.Lines, 0)
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if err == nil {
			err = i.scanLine(at, text)
		}
		i.wrong.add(at.line, err)
		return nil
	})
}

func (i *importer) scanLine(at place, text []byte) error {
	kind, members, err := splitLine(text)
	if err != nil {
		return err
	}
	l := lineOf(kind)
	err = readFields(members, l.fields())
	known := true
	for n, value := range l.key() {
		if billing.IsCode(value) {
			continue
		}
		if known = false; !mentions(err, l.names()[n]) {
			err = join(err, wrongCode(l.names()[n], value))
		}
	}
	if !known {
		return err
	}
	i.places[kind] = append(i.places[kind], at)
	if c, ok := l.(*contactLine); ok {
		return join(err, i.scanContact(at, c)...)
	}
	key := keyText(l.key())
	if before, twice := i.seen[kind][key]; twice {
		return join(err, billing.Fail(billing.Taken, l.names()[len(l.names())-1], "The %s %s is on line %d already.", inWordsOf(kind), strings.Join(l.key(), " "), before))
	}
	i.seen[kind][key] = at.line
	if t, ok := l.(*tenantLine); ok {
		i.tenantAccount[key] = t.account
	}
	return err
}

// scanContact finds out which of the contacts of an account a line means.
func (i *importer) scanContact(at place, c *contactLine) (found []*billing.Error) {
	c.row.Normalize()
	key := keyText([]string{c.account, customers.ContactKey(c.row)})
	n, alike := i.seen[contactKind][key]
	i.seen[contactKind][key] = n + 1 // how many there are, and not where
	if alike {
		i.nth[at.line] = int(n)
	}
	if c.row.Code != nil && alike {
		found = append(found, billing.Fail(billing.Taken, "code", "The account %s has another contact with the code %q in this file.", c.account, *c.row.Code))
	}
	if c.row.Email != nil {
		i.emails[c.account] = append(i.emails[c.account], *c.row.Email)
	}
	if c.billing != nil && *c.billing {
		if before, twice := i.billingOf[c.account]; twice {
			found = append(found, billing.Fail(billing.Taken, "billing", "The billing contact of the account %s is on line %d already.", c.account, before))
		}
		i.billingOf[c.account] = at.line
	}
	return found
}

func mentions(err error, field string) bool {
	found, _ := billing.AsProblems(err)
	for _, p := range found {
		if len(p.Field) > 0 && p.Field[0] == field {
			return true
		}
	}
	return false
}

func wrongCode(field, value string) *billing.Error {
	if value == "" {
		return billing.Fail(billing.Required, field, "Give %s: the code that identifies it.", field)
	}
	return billing.Fail(billing.Invalid, field, "%q cannot be a code: it has 1 to %d characters, no control characters, and no blank at either end.", excerpt(value), billing.MaxCode)
}

// splitLine returns the type of a line and its other members.
func splitLine(text []byte) (kind string, members []member, err error) {
	if members, err = parseLine(text); err != nil {
		return "", nil, err
	}
	for n, m := range members {
		if m.name != "type" {
			continue
		}
		if err := (&field{name: "type", at: &kind}).set(m.value); err != nil {
			return "", nil, err
		}
		if lineOf(kind) == nil {
			return "", nil, billing.Fail(billing.Invalid, "type", "There is no type %q: a line is one of %s.", excerpt(kind), strings.Join(Kinds, ", "))
		}
		return kind, append(members[:n:n], members[n+1:]...), nil
	}
	return "", nil, billing.Fail(billing.Required, "type", "Give the type of the line: %s.", strings.Join(Kinds, ", "))
}

// inWordsOf is a type in words.
func inWordsOf(kind string) string {
	var words strings.Builder
	for _, r := range kind {
		if unicode.IsUpper(r) {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

// item is a line that is read again.
type item struct {
	place
	members []member
}

// batches calls do for the lines of a type, many at once. Lines in which
// something is wrong by themselves are left out.
func (i *importer) batches(ctx context.Context, kind, step string, size int, do func([]item) error) error {
	places := i.places[kind]
	items := make([]item, 0, size)
	for n, at := range places {
		if !i.wrong.lines[at.line] {
			text, err := i.src.at(at)
			if err != nil {
				return err
			}
			found, members, err := splitLine(text)
			if err != nil || found != kind {
				return &StoppedError{int(at.line), billing.Fail(billing.Conflict, "", "The file was changed while it was read.")}
			}
			items = append(items, item{at, members})
		}
		if len(items) < size && n < len(places)-1 || len(items) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(items); err != nil {
			return err
		}
		i.Progress(step, n+1, len(places))
		items = items[:0]
	}
	return nil
}
