package apitest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// namer puts placeholders into an answer, for -update.
type namer struct {
	known
	nouns map[string]string // of the placeholders of ids
	count map[string]int
}

// name looks at a value that is the member key of something called parent.
func (n namer) name(parent, key string, t *tree) {
	n.nameByCode(key, t)
	for i := range t.members {
		if t.isList {
			n.name(parent, key, &t.members[i])
		} else {
			n.name(key, t.names[i], &t.members[i])
		}
	}
	text, isText := t.scalar.(string)
	if !t.isScalar() || !isText || whole.MatchString(text) {
		return
	}
	switch {
	case key == "id":
		t.scalar = n.id(noun(parent), text)
	case key == "subjectId", key == "documentId":
		t.scalar = "<any>"
	case strings.HasSuffix(key, "Id") && shapes["id"].MatchString(text):
		t.scalar = n.id(noun(strings.TrimSuffix(key, "Id")), text)
	case text == n.now().UTC().Format(timeFormat):
		t.scalar = "<now>"
	case shapes["time"].MatchString(text) && !ofTestClock[key]:
		t.scalar = "<time>"
	default:
		t.scalar = n.inside(text)
	}
}

// ofTestClock are the times that do not follow the clock of the server in a
// scenario with a test clock.
var ofTestClock = map[string]bool{"at": true, "effectiveAt": true, "now": true, "lastLogin": true}

var idInside = regexp.MustCompile(`(subscription|tenant|test clock|job|account|contact|platform|product|plan feature|feature|plan|price list charge|price list|API client)( with id | )([0-9]+)`)

// inside names the ids in a message.
func (n namer) inside(text string) string {
	return idInside.ReplaceAllStringFunc(text, func(found string) string {
		parts := idInside.FindStringSubmatch(found)
		words := strings.Fields(strings.ReplaceAll(parts[1], "API client", "api client"))
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		for p, noun := range n.nouns {
			if noun == strings.Join(words, "") && n.values[p] == parts[3] {
				return parts[1] + parts[2] + p
			}
		}
		return found
	})
}

// learn takes the nouns of placeholders from an answer that has them.
func (n namer) learn(parent, key string, t tree) {
	for i, member := range t.members {
		if t.isList {
			n.learn(parent, key, member)
		} else {
			n.learn(key, t.names[i], member)
		}
	}
	if text, isText := t.scalar.(string); isText && key == "id" && whole.MatchString(text) && nouns[noun(parent)] {
		n.nouns[text] = noun(parent)
	}
}

// noun is what the API calls a thing that an answer calls name.
func noun(name string) string {
	name = strings.TrimSuffix(name, "s")
	switch name {
	case "billingContact":
		return "contact"
	case "charge":
		return "priceListCharge"
	case "auditEntrie":
		return "auditEntry"
	}
	return name
}

// nameByCode names the id of a thing after its code.
func (n namer) nameByCode(key string, t *tree) {
	id, code := slices.Index(t.names, "id"), slices.Index(t.names, "code")
	if id < 0 || code < 0 {
		return
	}
	text, _ := t.members[code].scalar.(string)
	p := "<id:" + text + ">"
	if value, isID := t.members[id].scalar.(string); isID && whole.MatchString(p) && n.values[p] == "" {
		n.values[p], n.nouns[p] = value, noun(key)
		t.members[id].scalar = p
	}
}

// id returns the placeholder of an id, a new one if it was not seen before.
// Things with an alias may be of any noun.
func (n namer) id(noun, value string) string {
	var other string
	for p, known := range n.values {
		switch {
		case known != value || !strings.HasPrefix(p, "<id:"):
		case n.nouns[p] == noun:
			return p
		default:
			other = p
		}
	}
	if _, isNoun := nouns[noun]; !isNoun && other != "" {
		return other
	}
	for {
		n.count[noun]++
		p := fmt.Sprintf("<id:%s%d>", noun, n.count[noun])
		if n.values[p] == "" {
			n.values[p], n.nouns[p] = value, noun
			return p
		}
	}
}

var nouns = map[string]bool{
	"account": true, "contact": true, "platform": true, "product": true, "feature": true, "plan": true,
	"planFeature": true, "priceList": true, "priceListCharge": true, "apiClient": true, "auditEntry": true,
	"subscription": true, "tenant": true, "testClock": true, "job": true,
	"entity": true, "invoice": true, "invoiceItem": true, "creditNote": true, "payment": true, "pendingItem": true, "billingEvent": true,
}
