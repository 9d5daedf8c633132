import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { EventHandler, Later, suspended } from "tenantry/webhook";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const another = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const moment = Date.UTC(2026, 0, 15, 12);

/** An event as Tenantry sends it, with what is different. */
function signed(body, { key = secret, headers = {} } = {}) {
  const stamp = String(moment / 1000);
  const signature = createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`12.${stamp}.${body}`).digest("base64");
  return [{ "webhook-id": "12", "webhook-timestamp": stamp, "webhook-signature": `v1,${signature}`, "webhook-sequence": "4", ...headers }, body];
}

const handlerOf = (on) => new EventHandler({ secrets: secret, on, onError: () => {}, now: () => moment });

const bodies = [
  '{"type":"InvoiceOverdue","id":"812","sequence":4,"timestamp":"2026-03-01T08:00:00.250Z","account":{"id":"5","code":"acme","name":"Müller & <Söhne>"},"data":{"invoice":{"id":"17","number":"INV-2026-000017","kind":"SUBSCRIPTION","entityId":"1","subscriptionId":null,"currencyId":"EUR","subtotal":"100.00","taxAmount":"19.00","amount":"119.00","credits":"0.00","amountPaid":"0.00","amountDue":"119.00","issuedAt":"2026-03-01","dueAt":"2026-03-15","periodStart":"2026-03-01","periodEnd":"2026-03-31","poNumber":"PO 4711"},"daysOverdue":21}}',
  '{"type":"PaymentFailed","id":"812","sequence":4,"timestamp":"2026-03-01T08:00:00.250Z","account":{"id":"5","code":"acme","name":"Müller & <Söhne>"},"data":{"collection":{"id":"7","currencyId":"EUR","amount":"119.00"},"attempt":2,"code":"card_declined","message":"Your card was declined.","final":false,"nextAttemptOn":"2026-03-18","invoices":[{"id":"17","number":"INV-2026-000017","kind":"SUBSCRIPTION","entityId":"1","subscriptionId":null,"currencyId":"EUR","subtotal":"100.00","taxAmount":"19.00","amount":"119.00","credits":"0.00","amountPaid":"0.00","amountDue":"119.00","issuedAt":"2026-03-01","dueAt":"2026-03-15","periodStart":"2026-03-01","periodEnd":"2026-03-31","poNumber":"PO 4711"}]}}',
  '{"type":"StandingChanged","id":"812","sequence":4,"timestamp":"2026-03-01T08:00:00.250Z","account":{"id":"5","code":"acme","name":"Müller & <Söhne>"},"data":{"subscription":{"id":"12","code":null,"state":"ACTIVE","product":{"id":"1","code":"suite"},"plan":{"id":"4","code":"pro"},"priceList":{"id":"9","code":"monthly"},"tenant":{"id":"31","code":"acme"},"startDate":"2026-03-01","endDate":"2026-03-31","trialStartDate":null,"trialEndDate":null,"cancellationDate":null,"evergreen":true},"from":"PAST_DUE","to":"SUSPENDED","reason":"invoice INV-2026-000017 is 21 days overdue","invoice":{"id":"17","number":"INV-2026-000017","kind":"SUBSCRIPTION","entityId":"1","subscriptionId":null,"currencyId":"EUR","subtotal":"100.00","taxAmount":"19.00","amount":"119.00","credits":"0.00","amountPaid":"0.00","amountDue":"119.00","issuedAt":"2026-03-01","dueAt":"2026-03-15","periodStart":"2026-03-01","periodEnd":"2026-03-31","poNumber":"PO 4711"}}}',
  '{"type":"CreditNoteIssued","id":"812","sequence":4,"timestamp":"2026-03-01T08:00:00.250Z","account":{"id":"5","code":"acme","name":"Müller & <Söhne>"},"data":{"creditNote":{"id":"3","number":"CN-2026-000003","kind":"CREDIT","reason":"\\"Wrong\\" <price>","entityId":"1","currencyId":"EUR","subtotal":"10.00","taxAmount":"1.90","amount":"11.90","amountApplied":"1.90","amountUnapplied":"10.00","issuedAt":"2026-03-05","invoices":[{"id":"17","number":"INV-2026-000017"},{"id":"18","number":"INV-2026-000018"}]}}}',
  '{"type":"SubscriptionChanged","id":"812","sequence":4,"timestamp":"2026-03-01T08:00:00.250Z","account":{"id":"5","code":"acme","name":"Müller & <Söhne>"},"data":{"subscription":{"id":"12","code":null,"state":"ACTIVE","product":{"id":"1","code":"suite"},"plan":{"id":"4","code":"pro"},"priceList":{"id":"9","code":"monthly"},"tenant":{"id":"31","code":"acme"},"startDate":"2026-03-01","endDate":"2026-03-31","trialStartDate":null,"trialEndDate":null,"cancellationDate":null,"evergreen":true},"change":{"kind":"subscription.created","from":null,"to":"ACTIVE"}}}',
];

test("business events arrive as they were sent", async () => {
  for (const body of bodies) {
    const told = JSON.parse(body);
    let got;
    const answer = await handlerOf((event) => void (got = event)).handle(...signed(body));
    assert.equal(answer.status, 204, `${told.type}: ${answer.body}`);
    assert.deepEqual([got.type, got.account, got.data, got.body], [told.type, told.account, told.data, body]);
    assert.equal(got.at.getTime(), Date.parse(told.timestamp));
    assert.deepEqual([got.delivery.id, got.delivery.sequence, got.delivery.test], ["12", 4, false]);
  }
});

test("what is refused, and what is sent again", async () => {
  const event = JSON.stringify({ type: "InvoicePaid", id: "0", timestamp: "2026-03-01T08:00:00Z", account: { id: "5", code: null, name: "Acme" }, data: { invoice: { number: "TEST" } } });
  const ask = async (sent, error) => {
    let called = 0;
    const answer = await handlerOf((got) => {
      called++;
      assert.ok(got.delivery.test);
      if (error) throw error;
    }).handle(...sent);
    return [answer.status, called, answer.headers["Retry-After"]];
  };
  assert.deepEqual(await ask(signed(event)), [204, 1, undefined]);
  assert.deepEqual(await ask(signed(event), new Error("no database")), [500, 1, undefined]);
  assert.deepEqual(await ask(signed(event), new Later(60)), [503, 1, "60"]);
  assert.deepEqual(await ask(signed(event, { key: another })), [401, 0, undefined]);
  assert.deepEqual(await ask(signed(event, { headers: { "webhook-sequence": "" } })), [400, 0, undefined]);
  assert.deepEqual(await ask(signed("hello")), [422, 0, undefined]);
  assert.deepEqual(await ask(signed('{"type":"TenantProvisioningChange","payload":{}}')), [422, 0, undefined]);
  assert.throws(() => new EventHandler({ secrets: secret }), TypeError);
  assert.throws(() => new EventHandler({ secrets: [], on: () => {} }), TypeError);
  const get = await handlerOf(() => {}).fetch(new Request("http://localhost/", { method: "GET" }));
  assert.equal(get.status, 405);
});

test("a tenant whose subscription is unpaid is suspended", () => {
  assert.equal(suspended({ subscriptions: [{ state: "active" }] }), false);
  assert.equal(suspended({ subscriptions: [{ state: "active" }, { state: "suspended" }] }), true);
});
