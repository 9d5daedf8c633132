import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
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

test("every business event arrives as it was sent", async () => {
  const folder = new URL("../../../internal/billing/webhook/testdata/business/", import.meta.url);
  const files = readdirSync(folder);
  assert.ok(files.length >= 10);
  for (const file of files) {
    const body = readFileSync(new URL(file, folder), "utf8");
    const told = JSON.parse(body);
    let got;
    const answer = await handlerOf((event) => void (got = event)).handle(...signed(body));
    assert.equal(answer.status, 204, `${file}: ${answer.body}`);
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
