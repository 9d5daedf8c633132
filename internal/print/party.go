package print

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tenantry/tenantry/internal/print/pdf"
)

// Party is the seller or the buyer of a document: what is printed of the JSON
// copies that it has of entity and account. Unknown members are ignored.
type Party struct {
	Name               string `json:"name"`
	LegalName          string `json:"legalName"`
	Contact            string `json:"contact"`
	Street             string `json:"street"`
	City               string `json:"city"`
	Zip                string `json:"zip"`
	State              string `json:"state"`
	Country            string `json:"country"`
	TaxNumber          string `json:"taxNumber"`
	RegistrationNumber string `json:"registrationNumber"`
	Email              string `json:"email"`
	Phone              string `json:"phone"`
	Website            string `json:"website"`
	IBAN               string `json:"iban"`
	BIC                string `json:"bic"`
	BankName           string `json:"bankName"`
	Footer             string `json:"footer"`
	// Timezone is that of a buyer who lives by another than the seller. No date of the
	// document depends on it.
	Timezone string `json:"timezone"`
	// PONumber and BuyerReference are the buyer's, for documents that have none of their
	// own.
	PONumber       string `json:"poNumber"`
	BuyerReference string `json:"buyerReference"`
	// Logo is a PNG or JPEG image: a data URL, or its base64 alone.
	Logo string `json:"logo"`
	// Locale is that of the account, for documents that have none of their own.
	Locale string `json:"locale"`
}

// readParties reads the copies of entity and account.
func (d *Document) readParties(seller, buyer json.RawMessage) error {
	if err := readParty(seller, &d.Seller); err != nil {
		return fmt.Errorf("seller of document %s: %w", d.Number, err)
	}
	if err := readParty(buyer, &d.Buyer); err != nil {
		return fmt.Errorf("buyer of document %s: %w", d.Number, err)
	}
	return nil
}

func readParty(data json.RawMessage, p *Party) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, p)
}

// image is the logo, nil if there is none or it is no image: a document is not
// held up by a broken logo.
func (p *Party) image() *pdf.Image {
	data := p.Logo
	if header, rest, isURL := strings.Cut(data, ","); isURL {
		if !strings.HasPrefix(header, "data:image/") || !strings.HasSuffix(header, ";base64") {
			return nil
		}
		data = rest
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(data))
	if err != nil || len(raw) == 0 {
		return nil
	}
	image, err := pdf.ParseImage(raw)
	if err != nil {
		return nil
	}
	return image
}

// heading is the name in large type, and lines are the rest of the party.
func (p *Party) heading() string {
	if p.LegalName != "" {
		return p.LegalName
	}
	return p.Name
}

// address is the postal address, a line each.
func (p *Party) address(l *locale) []string {
	city := join(" ", p.Zip, p.City)
	switch strings.ToUpper(p.Country) {
	case "US", "CA", "AU", "IN", "MX":
		city = join(", ", p.City, join(" ", p.State, p.Zip))
	default:
		city = join(", ", city, p.State)
	}
	return lines(p.Street, city, l.country(p.Country))
}

// lines are the lines of texts that are not empty.
func lines(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	}
	return all
}

// join joins what is not empty.
func join(separator string, texts ...string) string {
	var given []string
	for _, text := range texts {
		if text != "" {
			given = append(given, text)
		}
	}
	return strings.Join(given, separator)
}
