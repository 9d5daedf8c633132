package demo

// customer is an account with what it did in the year.
type customer struct {
	name, code, person string
	at                 address
	vat                string // the VAT number, if it has one
	did                []step
}

type address struct{ street, zip, city, country string }

// locale is the language of the customer's documents.
func (a address) locale() string {
	if known := locales[a.country]; known != "" {
		return known
	}
	return "en"
}

var locales = map[string]string{
	"AT": "de-AT", "BE": "fr-BE", "CH": "de-CH", "DE": "de", "ES": "es", "FR": "fr", "GB": "en-GB", "IE": "en-IE", "IT": "it", "NL": "nl", "PL": "pl", "PT": "pt", "SE": "sv",
}

// customers are made up; any likeness to a company is by chance.
var customers = []customer{
	{"Nordlicht Logistik GmbH", "nordlicht", "Jana Petersen", address{"Hafenstraße 12", "24103", "Kiel", "DE"}, "DE100000018", did(buy(2, "crm-team-monthly", 12), set(95, "crm", 18), buy(120, "mail-basic-monthly", 18), forgive(160, "25.00", "The outage in spring"), set(240, "crm", 25))},
	{"Abbott & Rowe Solicitors", "abbott-rowe", "Helen Rowe", address{"7 Queen Square", "BS1 4JE", "Bristol", "GB"}, "GB100000047", did(buy(0, "crm-business-yearly", 40))},
	{"Atelier Fontaine", "fontaine", "Luc Fontaine", address{"3 rue des Tisserands", "69001", "Lyon", "FR"}, "", did(try(5, "crm-starter-monthly", 3), set(150, "crm", 4))},
	{"Bergmann Maschinenbau AG", "bergmann", "Ulrich Bergmann", address{"Werkstraße 40", "70376", "Stuttgart", "DE"}, "DE100000034", did(buy(8, "crm-business-yearly", 120), set(180, "crm", 145), buy(210, "analytics-scale-yearly", 60))},
	{"Blue Heron Travel", "blue-heron", "Maya Lindqvist", address{"Södra Förstadsgatan 9", "211 43", "Malmö", "SE"}, "", did(buy(12, "crm-team-monthly", 9), correct(19, "SE100000026401"), move(130, "crm", "crm-business-monthly"), set(133, "crm", 14))},
	{"Brightwater Schools", "brightwater", "Owen Price", address{"2 Park Place", "CF10 3DP", "Cardiff", "GB"}, "GB100000102", did(buy(15, "mail-pro-yearly", 80), buy(90, "crm-team-yearly", 22), forgive(350, "150.00", "The training was canceled"))},
	{"Café Central Wien", "cafe-central", "Resi Hofer", address{"Herrengasse 21", "1010", "Wien", "AT"}, "", did(try(20, "crm-starter-monthly", 2), leave(171, "crm"))},
	{"Cedar Stream Dental", "cedar-stream", "Priya Nair", address{"18 Merrion Row", "D02 KP71", "Dublin", "IE"}, "IE1000012A", did(buy(25, "crm-starter-yearly", 6), set(200, "crm", 8))},
	{"Clementine Studios", "clementine", "Zoë Marchetti", address{"Via Tortona 31", "20144", "Milano", "IT"}, "IT10000000185", did(try(30, "crm-team-monthly", 7), set(101, "crm", 11), buy(220, "analytics-starter-monthly", 4))},
	{"Corvus Security", "corvus", "Ivar Solheim", address{"Storgata 5", "0155", "Oslo", "NO"}, "NO100000120MVA", did(buy(34, "crm-business-monthly", 30), payByCard(40, "ok"), set(160, "crm", 36), buy(161, "analytics-growth-monthly", 25))},
	{"Dovetail Furniture", "dovetail", "Grace Okafor", address{"64 Kirkgate", "LS2 7DJ", "Leeds", "GB"}, "GB100000154", did(buy(41, "crm-team-monthly", 10), leaveLater(350, "crm"))},
	{"Ecoluz Energia", "ecoluz", "Tiago Moreira", address{"Rua das Flores 88", "4050-265", "Porto", "PT"}, "PT100000146", did(try(47, "analytics-growth-monthly", 12), convert(55, "analytics", "analytics-growth-monthly"), set(190, "analytics", 30))},
	{"Falk & Söhne Bau", "falk", "Katrin Falk", address{"Karl-Heine-Straße 55", "04229", "Leipzig", "DE"}, "DE100000077", did(buyFixed(52, "crm-starter-monthly", 5))},
	{"Fjord Fisheries", "fjord", "Signe Dahl", address{"Bryggen 17", "5003", "Bergen", "NO"}, "NO100000189MVA", did(buy(58, "crm-team-yearly", 16), moveLater(330, "crm", "crm-business-yearly"))},
	{"Galloway Whisky Co.", "galloway", "Ewan Galloway", address{"1 Nith Quay", "DG1 2RS", "Dumfries", "GB"}, "GB100000196", did(try(63, "crm-starter-monthly", 4), move(115, "crm", "crm-team-monthly"), payByCard(280, "declined"))},
	{"Grünwerk Gärten", "gruenwerk", "Lena Grün", address{"Annenstraße 14", "8020", "Graz", "AT"}, "ATU10000019", did(buy(70, "mail-basic-monthly", 6), set(260, "mail", 9))},
	{"Helvetia Rad", "helvetia-rad", "Reto Ammann", address{"Aarbergergasse 30", "3011", "Bern", "CH"}, "CHE-100.000.018", did(buy(77, "crm-team-monthly", 8), leave(150, "crm"), comeBack(165, "crm"))},
	{"Ibis Hotels Group", "ibis-group", "Camille Arnaud", address{"12 quai de la Fosse", "44000", "Nantes", "FR"}, "FR10100000181", did(buy(84, "crm-business-yearly", 75), buy(85, "mail-pro-yearly", 75), buy(88, "analytics-scale-yearly", 40), set(300, "crm", 90))},
	{"Iron Bridge Cycles", "iron-bridge", "Tom Hadley", address{"5 The Wharfage", "TF8 7NJ", "Telford", "GB"}, "GB100000233", did(tryOnly(92, "analytics-starter-monthly", 2))},
	{"Juniper Health", "juniper", "Aoife Brennan", address{"29 South Mall", "T12 WY61", "Cork", "IE"}, "IE1000023B", did(try(99, "crm-team-monthly", 15), extend(108, "crm", 21), set(210, "crm", 20))},
	{"Kestrel Aviation", "kestrel", "Rafael Ortega", address{"Avenida de Kansas City 9", "41018", "Sevilla", "ES"}, "ESA10000015", did(buy(107, "crm-business-monthly", 22), set(310, "crm", 26), setLater(360, "crm", 34, 6))},
	{"Kivi Games", "kivi", "Aino Virtanen", address{"Hämeenkatu 20", "33200", "Tampere", "FI"}, "FI10000016", did(try(114, "analytics-starter-monthly", 6), convert(120, "analytics", "analytics-growth-monthly"), set(250, "analytics", 45))},
	{"Lavanderie Riunite", "lavanderie", "Paola Conti", address{"Corso Regina Margherita 110", "10124", "Torino", "IT"}, "", did(buy(122, "crm-starter-monthly", 3), stopPaying(215), leaveLater(240, "crm"), writeOff(330, "Insolvent"))},
	{"Maple Street Books", "maple-street", "Nora Ellis", address{"11 Walcot Street", "BA1 5BN", "Bath", "GB"}, "GB100000270", did(try(131, "crm-starter-monthly", 2))},
	{"Mariendal Folkeskole", "mariendal", "Lars Holm", address{"Mariendalsvej 4", "8000", "Aarhus", "DK"}, "DK10000017", did(buy(140, "mail-pro-yearly", 55))},
	{"Meridian Optics", "meridian", "Chiara Bassi", address{"Via Zamboni 8", "40126", "Bologna", "IT"}, "IT10000000228", did(buy(149, "analytics-growth-yearly", 20), set(280, "analytics", 35))},
	{"Nimbus Weather", "nimbus", "Jonas Weber", address{"Deichstraße 27", "20459", "Hamburg", "DE"}, "DE100000093", did(try(158, "analytics-scale-monthly", 80), convert(163, "analytics", "analytics-scale-monthly"), set(270, "analytics", 140), alsoBill(360, "Workshop, two days", "1800.00"))},
	{"Oranje Bloemen BV", "oranje", "Sanne de Vries", address{"Legmeerdijk 313", "1431 GB", "Aalsmeer", "NL"}, "NL100000018B01", did(buy(168, "crm-team-monthly", 13), buy(169, "mail-basic-monthly", 13), stopRenewal(345, "mail"))},
	{"Pico Robotics", "pico", "Dai Nguyen", address{"High Tech Campus 5", "5656 AE", "Eindhoven", "NL"}, "NL100000031B01", did(try(178, "crm-team-monthly", 5), set(230, "crm", 9), set(320, "crm", 15))},
	{"Quayside Theatre", "quayside", "Beth Armstrong", address{"40 Sandhill", "NE1 3JF", "Newcastle", "GB"}, "GB100000317", did(buyFixed(187, "crm-team-monthly", 6), buy(188, "mail-basic-monthly", 6))},
	{"Radia Klinik", "radia", "Dr. Anke Vogt", address{"Lange Straße 2", "18055", "Rostock", "DE"}, "DE100000122", did(buy(196, "crm-business-yearly", 28))},
	{"Salt Marsh Pottery", "salt-marsh", "Isla Munro", address{"3 Elm Hill", "NR3 1HN", "Norwich", "GB"}, "", did(tryOnly(209, "crm-starter-monthly", 1))},
	{"Sierra Verde Coop", "sierra-verde", "Carmen Ruiz", address{"Calle Elvira 60", "18010", "Granada", "ES"}, "ESF10000023", did(buy(219, "crm-starter-monthly", 4), set(290, "crm", 6))},
	{"Stellwerk Events", "stellwerk", "Mirko Lang", address{"Aachener Straße 5", "50674", "Köln", "DE"}, "DE100000139", did(try(233, "analytics-growth-monthly", 10), leave(241, "analytics"))},
	{"Tamar Boatyard", "tamar", "Piers Trelawny", address{"22 Barbican", "PL1 2LS", "Plymouth", "GB"}, "GB100000354", did(buy(255, "crm-starter-yearly", 3))},
	{"Umbra Lighting", "umbra", "Sofia Rinaldi", address{"Via dei Priori 15", "06123", "Perugia", "IT"}, "IT10000000261", did(try(353, "crm-team-monthly", 12))},
	{"Vela Insurance", "vela", "Marta Kowalska", address{"Długi Targ 9", "80-828", "Gdańsk", "PL"}, "PL1000000019", did(buy(290, "crm-team-monthly", 32), approve(345), try(356, "analytics-growth-monthly", 15))},
	{"Wild Thyme Kitchens", "wild-thyme", "Hannah Moss", address{"8 Gandy Street", "EX4 3LS", "Exeter", "GB"}, "", did(try(359, "crm-starter-monthly", 3))},
	{"Yonder Outdoor", "yonder", "Erik Strand", address{"Linnégatan 33", "413 04", "Göteborg", "SE"}, "SE100000018901", did(buyAhead(361, 12, "crm-team-yearly", 20))},
	{"Zephyr Mobility", "zephyr", "Amélie Laurent", address{"Rue Dansaert 70", "1000", "Bruxelles", "BE"}, "BE0100000083", did(tryAhead(363, 5, "analytics-scale-monthly", 50))},
}
