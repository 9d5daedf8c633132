/** Makes some of everything; returns the subscription. */
export async function fill(client) {
  await client.platformCreate({ attributes: { code: "app", name: "App", provisioningEnabled: true } });
  const product = await client.productCreate({ attributes: { code: "crm", name: "CRM", platformCode: "app" } });
  for (const [code, kind] of [["users", "QUANTITY"], ["sso", "BOOLEAN"]]) {
    await client.featureCreate({ productId: product.id, attributes: { code, name: code, kind } });
  }
  const plan = await client.planCreate({ attributes: { productId: product.id, code: "pro", name: "Pro" } });
  const charge = {
    code: "users", name: "Users", featureCode: "users", price: "19.95",
    chargeType: "RECURRING", billingPeriod: "MONTHLY", pricingModel: "FLAT",
  };
  await client.priceListCreate({
    attributes: { planId: plan.id, code: "pro-monthly", name: "Pro, monthly", currencyId: "EUR", renewalTermMonths: 1, charges: [charge] },
  });
  const clock = await client.testClockCreate({ name: "a trial", now: "2026-01-15T00:00:00Z" });
  const billingContact = { firstName: "Ann", email: "ann@example.com" };
  const account = await client.accountCreate({ attributes: { name: "Acme Inc", code: "acme", testClockId: clock.id, billingContact } });
  const quantities = [{ code: "users", quantity: 5 }];
  return client.subscriptionCreate({ attributes: { accountId: account.id, priceListCode: "pro-monthly", tenantCode: "acme", quantities } });
}
