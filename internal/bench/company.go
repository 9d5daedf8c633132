package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/tenantry/tenantry/internal/billing"
)

// Words that filters of the growth measurement look for.
const (
	rareWord   = "Ashenberg"   // rareCount accounts, however many there are
	hardWord   = "Mannering"   // as rare, but every three letters of it are common
	shortWord  = "mand"        // none, but both its pieces of three letters are common
	middleWord = "Observatory" // one in middleEvery
	commonWord = "Logistics"   // one in commonEvery

	rareCount   = 7
	middleEvery = 100
	commonEvery = 10
)

// Names are put together of these. Families come from a beginning and an end,
// which gives some thousand of them with trigrams as names have them.
var (
	beginnings = strings.Fields(`Ander Ash Bergen Black Bran Brook Carl Castel Clar Cole Dal Dorn Eck Edel Ferr Fisch
		Gar Glen Gold Gran Hal Hart Haven Heller Holm Jans Kess Kirch Lang Lauren Linden Lock Marsh Mayer Mont Nor
		North Oster Park Peter Quell Rad Ren Rich Rosen Sander Schön Silver Stan Stein Sund Thorn Van Vester Wald Wein West
		Whit Wil Win Wood Zimmer`)
	endings = strings.Fields(`ach ard auer bach bauer beck berg berger bert born bridge brook by cliff dale den dorf
		er feld fern field ford gate haus heim hill hof hurst ing land ler ley lin mann mark mer mont more ner quist
		ridge rick sen shaw son stad stein stone ström ton tree wald well wick wood worth`)
	trades = strings.Fields(`Analytics Architects Automotive Bakery Bikes Bookshop Brewing Capital Catering Ceramics
		Chemicals Cleaning Coffee Computing Consulting Couriers Dairy Dental Design Distribution Drones Electric Energy
		Engineering Farms Films Fitness Foods Forestry Furniture Gardens Glass Health Hosting Hotels Imaging Insurance
		Interiors Labs Legal Lighting Machines Marine Media Metals Mobility Motors Music Networks Optics Outdoor
		Packaging Paper Pharma Photo Plastics Plumbing Press Printing Records Recycling Robotics Roofing Security
		Shipping Software Solar Studio Systems Telecom Textiles Timber Tools Toys Trading Travel Water Wines Workshop`)
	forms  = strings.Fields(`AB AG AS BV GmbH Group Inc KG Ltd LLC NV Oy Partners PLC SA SARL SpA`)
	cities = strings.Fields(`Amsterdam Basel Berlin Bern Bordeaux Bristol Brno Chicago Dublin Graz Hamburg Helsinki
		Leeds Lille Linz Lyon Madrid Milano Oslo Porto Praha Seattle Torino Utrecht Wien Zürich`)
	countries  = strings.Fields(`AT BE CH CZ DE ES FI FR GB IE IT NL NO PT SE US`)
	currencies = strings.Fields(`CHF EUR EUR EUR GBP SEK USD USD`)
	zones      = strings.Fields(`Europe/Berlin Europe/Dublin Europe/Helsinki Europe/London Europe/Zurich America/Chicago`)
)

// accountColumns are those that row fills; the others stay empty.
var accountColumns = []string{
	"name", "code", "billing_day", "timezone", "currency_id", "billing_city", "billing_country",
	"created_at", "updated_at", "search",
}

// companies makes accounts, the same ones in every run.
type companies struct {
	random *rand.Rand
	n      int
}

func newCompanies(n int) *companies { return &companies{rand.New(rand.NewPCG(1, 2)), n} }

// firstDay is when the first account was made, three years before the last.
var firstDay = time.Date(2023, time.November, 1, 8, 0, 0, 0, time.UTC)

// row returns the values of accountColumns of the i-th account.
func (c *companies) row(i int) []any {
	name, code := c.name(i), fmt.Sprintf("C-%07d", i+1)
	created := firstDay.Add(time.Duration(i) * (3 * 365 * 24 * time.Hour / time.Duration(c.n))).UnixMilli()
	return []any{
		name, code, 1 + c.random.IntN(28), c.pick(zones), c.pick(currencies), c.pick(cities), c.pick(countries),
		created, created, searchText(name, code),
	}
}

func (c *companies) name(i int) string {
	family := c.pick(beginnings) + c.pick(endings)
	switch every := c.n / rareCount; i % every {
	case every / 2:
		family = rareWord
	case every / 3:
		family = hardWord
	}
	trade := c.pick(trades)
	switch {
	case i%commonEvery == 3:
		trade = commonWord
	case i%middleEvery == 17:
		trade = middleWord
	}
	if c.random.IntN(3) == 0 {
		return family + " and " + c.pick(beginnings) + c.pick(endings) + " " + trade
	}
	return family + " " + trade + " " + c.pick(forms)
}

func (c *companies) pick(words []string) string { return words[c.random.IntN(len(words))] }

// searchText is the column that free words match, as the store fills it.
func searchText(name, code string) string { return billing.Fold(name) + "\x1f" + billing.Fold(code) }
