package transfer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// crowd is a file of so many customers, each with a contact, a tenant and a
// subscription, the same in every run.
func crowd(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var out strings.Builder
	out.WriteString(`{"type":"platform","code":"cloud","name":"Cloud","provisioningEnabled":true}
{"type":"product","code":"crm","name":"CRM","platform":"cloud"}
{"type":"feature","product":"crm","code":"users","name":"Users","kind":"QUANTITY"}
{"type":"plan","product":"crm","code":"pro","name":"Pro"}
{"type":"planFeature","product":"crm","plan":"pro","feature":"users","value":"5"}
{"type":"priceList","code":"monthly","product":"crm","plan":"pro","name":"Monthly","currencyId":"EUR"}
{"type":"charge","priceList":"monthly","code":"seats","name":"Seats","feature":"users","price":"5"}
`)
	for i := range n {
		fmt.Fprintf(&out, `{"type":"subscription","code":"S-%d","account":"A-%d","tenant":"t-%d","priceList":"monthly","startDate":"2025-%02d-%02d","quantities":{"users":%d}}`+"\n",
			i, i, i, 1+random.IntN(12), 1+random.IntN(28), 1+random.IntN(300))
		fmt.Fprintf(&out, `{"type":"account","code":"A-%d","name":"Company %d","billingDay":%d}`+"\n", i, i, 1+random.IntN(28))
		fmt.Fprintf(&out, `{"type":"contact","account":"A-%d","firstName":"Ann","email":"ann%d@example.com","billing":true}`+"\n", i, i)
		fmt.Fprintf(&out, `{"type":"tenant","platform":"cloud","code":"t-%d","account":"A-%d"}`+"\n", i, i)
	}
	return out.String()
}
