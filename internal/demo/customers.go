package demo

// customer is an account with what it did in the year.
type customer struct {
	name, code, person, city, country string
	did                               []step
}

// customers are made up; any likeness to a company is by chance.
var customers = []customer{
	{"Nordlicht Logistik GmbH", "nordlicht", "Jana Petersen", "Kiel", "DE", did(buy(2, "crm-team-monthly", 12), set(95, "crm", 18), buy(120, "mail-basic-monthly", 18), set(240, "crm", 25))},
	{"Abbott & Rowe Solicitors", "abbott-rowe", "Helen Rowe", "Bristol", "GB", did(buy(0, "crm-business-yearly", 40))},
	{"Atelier Fontaine", "fontaine", "Luc Fontaine", "Lyon", "FR", did(try(5, "crm-starter-monthly", 3), set(150, "crm", 4))},
	{"Bergmann Maschinenbau AG", "bergmann", "Ulrich Bergmann", "Stuttgart", "DE", did(buy(8, "crm-business-yearly", 120), set(180, "crm", 145), buy(210, "analytics-scale-yearly", 60))},
	{"Blue Heron Travel", "blue-heron", "Maya Lindqvist", "Malmö", "SE", did(buy(12, "crm-team-monthly", 9), move(130, "crm", "crm-business-monthly"), set(133, "crm", 14))},
	{"Brightwater Schools", "brightwater", "Owen Price", "Cardiff", "GB", did(buy(15, "mail-pro-yearly", 80), buy(90, "crm-team-yearly", 22))},
	{"Café Central Wien", "cafe-central", "Resi Hofer", "Wien", "AT", did(try(20, "crm-starter-monthly", 2), leave(171, "crm"))},
	{"Cedar Stream Dental", "cedar-stream", "Priya Nair", "Dublin", "IE", did(buy(25, "crm-starter-yearly", 6), set(200, "crm", 8))},
	{"Clementine Studios", "clementine", "Zoë Marchetti", "Milano", "IT", did(try(30, "crm-team-monthly", 7), set(101, "crm", 11), buy(220, "analytics-starter-monthly", 4))},
	{"Corvus Security", "corvus", "Ivar Solheim", "Oslo", "NO", did(buy(34, "crm-business-monthly", 30), set(160, "crm", 36), buy(161, "analytics-growth-monthly", 25))},
	{"Dovetail Furniture", "dovetail", "Grace Okafor", "Leeds", "GB", did(buy(41, "crm-team-monthly", 10), leaveLater(350, "crm"))},
	{"Ecoluz Energia", "ecoluz", "Tiago Moreira", "Porto", "PT", did(try(47, "analytics-growth-monthly", 12), convert(55, "analytics", "analytics-growth-monthly"), set(190, "analytics", 30))},
	{"Falk & Söhne Bau", "falk", "Katrin Falk", "Leipzig", "DE", did(buyFixed(52, "crm-starter-monthly", 5))},
	{"Fjord Fisheries", "fjord", "Signe Dahl", "Bergen", "NO", did(buy(58, "crm-team-yearly", 16), moveLater(330, "crm", "crm-business-yearly"))},
	{"Galloway Whisky Co.", "galloway", "Ewan Galloway", "Dumfries", "GB", did(try(63, "crm-starter-monthly", 4), move(115, "crm", "crm-team-monthly"))},
	{"Grünwerk Gärten", "gruenwerk", "Lena Grün", "Graz", "AT", did(buy(70, "mail-basic-monthly", 6), set(260, "mail", 9))},
	{"Helvetia Rad", "helvetia-rad", "Reto Ammann", "Bern", "CH", did(buy(77, "crm-team-monthly", 8), leave(150, "crm"), comeBack(165, "crm"))},
	{"Ibis Hotels Group", "ibis-group", "Camille Arnaud", "Nantes", "FR", did(buy(84, "crm-business-yearly", 75), buy(85, "mail-pro-yearly", 75), buy(88, "analytics-scale-yearly", 40), set(300, "crm", 90))},
	{"Iron Bridge Cycles", "iron-bridge", "Tom Hadley", "Telford", "GB", did(tryOnly(92, "analytics-starter-monthly", 2))},
	{"Juniper Health", "juniper", "Aoife Brennan", "Cork", "IE", did(try(99, "crm-team-monthly", 15), extend(108, "crm", 21), set(210, "crm", 20))},
	{"Kestrel Aviation", "kestrel", "Rafael Ortega", "Sevilla", "ES", did(buy(107, "crm-business-monthly", 22), set(310, "crm", 26), setLater(360, "crm", 34, 6))},
	{"Kivi Games", "kivi", "Aino Virtanen", "Tampere", "FI", did(try(114, "analytics-starter-monthly", 6), convert(120, "analytics", "analytics-growth-monthly"), set(250, "analytics", 45))},
	{"Lavanderie Riunite", "lavanderie", "Paola Conti", "Torino", "IT", did(buy(122, "crm-starter-monthly", 3), leaveLater(240, "crm"))},
	{"Maple Street Books", "maple-street", "Nora Ellis", "Bath", "GB", did(try(131, "crm-starter-monthly", 2))},
	{"Mariendal Folkeskole", "mariendal", "Lars Holm", "Aarhus", "DK", did(buy(140, "mail-pro-yearly", 55))},
	{"Meridian Optics", "meridian", "Chiara Bassi", "Bologna", "IT", did(buy(149, "analytics-growth-yearly", 20), set(280, "analytics", 35))},
	{"Nimbus Weather", "nimbus", "Jonas Weber", "Hamburg", "DE", did(try(158, "analytics-scale-monthly", 80), convert(163, "analytics", "analytics-scale-monthly"), set(270, "analytics", 140))},
	{"Oranje Bloemen BV", "oranje", "Sanne de Vries", "Aalsmeer", "NL", did(buy(168, "crm-team-monthly", 13), buy(169, "mail-basic-monthly", 13), stopRenewal(345, "mail"))},
	{"Pico Robotics", "pico", "Dai Nguyen", "Eindhoven", "NL", did(try(178, "crm-team-monthly", 5), set(230, "crm", 9), set(320, "crm", 15))},
	{"Quayside Theatre", "quayside", "Beth Armstrong", "Newcastle", "GB", did(buyFixed(187, "crm-team-monthly", 6), buy(188, "mail-basic-monthly", 6))},
	{"Radia Klinik", "radia", "Dr. Anke Vogt", "Rostock", "DE", did(buy(196, "crm-business-yearly", 28))},
	{"Salt Marsh Pottery", "salt-marsh", "Isla Munro", "Norwich", "GB", did(tryOnly(209, "crm-starter-monthly", 1))},
	{"Sierra Verde Coop", "sierra-verde", "Carmen Ruiz", "Granada", "ES", did(buy(219, "crm-starter-monthly", 4), set(290, "crm", 6))},
	{"Stellwerk Events", "stellwerk", "Mirko Lang", "Köln", "DE", did(try(233, "analytics-growth-monthly", 10), leave(241, "analytics"))},
	{"Tamar Boatyard", "tamar", "Piers Trelawny", "Plymouth", "GB", did(buy(255, "crm-starter-yearly", 3))},
	{"Umbra Lighting", "umbra", "Sofia Rinaldi", "Perugia", "IT", did(try(353, "crm-team-monthly", 12))},
	{"Vela Insurance", "vela", "Marta Kowalska", "Gdańsk", "PL", did(buy(290, "crm-team-monthly", 32), try(356, "analytics-growth-monthly", 15))},
	{"Wild Thyme Kitchens", "wild-thyme", "Hannah Moss", "Exeter", "GB", did(try(359, "crm-starter-monthly", 3))},
	{"Yonder Outdoor", "yonder", "Erik Strand", "Göteborg", "SE", did(buyAhead(361, 12, "crm-team-yearly", 20))},
	{"Zephyr Mobility", "zephyr", "Amélie Laurent", "Bruxelles", "BE", did(tryAhead(363, 5, "analytics-scale-monthly", 50))},
}
