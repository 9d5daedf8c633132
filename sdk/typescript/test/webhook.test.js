import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import http from "node:http";
import { after, describe, test } from "node:test";

import { feature, Later, MemoryStore, verify, WebhookError, WebhookHandler } from "tenantry/webhook";
import { allScopes, dial, eventually, startServer } from "./server.js";
import { fill } from "./fill.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const another = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const moment = Date.UTC(2026, 0, 15, 12);

const bodyOf = (tenant, quantity, code = "acme") =>
  JSON.stringify({
    type: "TenantProvisioningChange",
    payload: {
      tenant: {
        id: tenant, code, name: "Acme", platform: { id: 1, code: "app", name: "App" },
        account: { id: 3, name: "Acme Inc", billing_day: 15, contacts: [] },
      },
      change: { features: [{ code: "users", name: "Users", value: "", quantity }], subscriptions: [] },
    },
  });

const sign = (key, id, stamp, body) =>
  `v1,${createHmac("sha256", Buffer.from(key.slice(6), "base64")).update(`${id}.${stamp}.${body}`).digest("base64")}`;

/** A webhook as Tenantry sends it, with what is different. */
function webhook({ sequence = 1, tenant = 7, body = bodyOf(tenant, sequence), at = moment, secrets = [secret], forced, headers = {} } = {}) {
  const stamp = String(Math.floor(at / 1000));
  const all = {
    "webhook-id": "12",
    "webhook-timestamp": stamp,
    "webhook-signature": secrets.map((key) => sign(key, "12", stamp, body)).join(" "),
    "webhook-sequence": String(sequence),
    "webhook-attempt": "1",
    ...(forced && { "webhook-forced": "true" }),
    ...headers,
  };
  return [Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), body];
}

function receiver(options = {}) {
  const applied = [];
  const handler = new WebhookHandler({
    secrets: secret,
    store: new MemoryStore(),
    apply: (change) => void applied.push(change.delivery.sequence),
    onError: () => {},
    now: () => moment,
    ...options,
  });
  return { handler, applied };
}

test("the example that all libraries of the standard share", () => {
  const headers = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  };
  const body = '{"test": 2432232314}';
  const now = () => 1614265330_000;
  assert.equal(verify(secret, headers, body, { now }).id, "msg_p5jXN8AQM9LWM0D4loKWxJek");
  assert.equal(verify([another, secret], new Headers(headers), Buffer.from(body), { now }).timestamp.getTime(), now());
  assert.throws(() => verify(another, headers, body, { now }), (e) => e instanceof WebhookError && e.reason === "signature");
  assert.throws(() => verify(secret, headers, body), (e) => e.reason === "timestamp");
  assert.throws(() => verify([], headers, body), TypeError);
});

describe("answers", () => {
  const minutes = (n) => moment + n * 60_000;
  const cases = {
    "a change": [{}, 204, "", 1],
    "the age that just fits": [{ at: minutes(-5) }, 204, "", 1],
    "too old": [{ at: minutes(-5) - 1000 }, 400, "timestamp is too far", 0],
    "too new": [{ at: minutes(5) + 1000 }, 400, "timestamp is too far", 0],
    "another secret": [{ secrets: [another] }, 401, "no signature fits", 0],
    "two signatures": [{ secrets: [another, secret] }, 204, "", 1],
    "another version": [{ headers: { "webhook-signature": "v1a,AAAA v2,BBBB" } }, 401, "no signature fits", 0],
    "an empty signature": [{ headers: { "webhook-signature": "v1," } }, 401, "no signature fits", 0],
    "another id": [{ headers: { "webhook-id": "13" } }, 401, "no signature fits", 0],
    "no id": [{ headers: { "webhook-id": undefined } }, 400, "missing", 0],
    "no timestamp": [{ headers: { "webhook-timestamp": undefined } }, 400, "missing", 0],
    "no sequence": [{ headers: { "webhook-sequence": undefined } }, 400, "webhook-sequence", 0],
    "not JSON": [{ body: "hello" }, 422, "not JSON", 0],
    null: [{ body: "null" }, 422, "no type", 0],
    "a program's body": [{ body: '{"tenant":"acme"}' }, 422, "payload program", 0],
    "half a change": [{ body: '{"type":"TenantProvisioningChange","payload":{"tenant":{"id":1}}}' }, 422, "payload.change", 0],
    "a type of the future": [{ body: '{"type":"InvoicePaid","payload":{}}' }, 204, "", 0],
    "too large": [{ body: "x".repeat(2001) }, 413, "larger than 2000 bytes", 0],
    "a test": [{ body: bodyOf(0, 1, "provisioning-test") }, 204, "", 0],
  };
  for (const [name, [request, status, says, count]] of Object.entries(cases)) {
    test(name, async () => {
      const { handler, applied } = receiver({ maxBody: 2000 });
      const answer = await handler.handle(...webhook(request));
      assert.equal(answer.status, status, answer.body);
      assert.ok(answer.body.includes(says), answer.body);
      assert.equal(applied.length, count);
    });
  }
});

test("old changes are dropped, equal and forced ones are applied", async () => {
  const { handler, applied } = receiver();
  const requests = [
    { sequence: 1 }, { sequence: 4 }, { sequence: 3 }, { sequence: 4 }, { sequence: 2, forced: true },
    { sequence: 3 }, { sequence: 5 }, { sequence: 1, tenant: 8 },
  ];
  for (const request of requests) {
    assert.equal((await handler.handle(...webhook(request))).status, 204);
  }
  assert.deepEqual(applied, [1, 4, 4, 2, 5, 1]);
});

test("what failed comes again and is not remembered", async () => {
  const errors = [];
  let fail = new Error("the disk of 10.0.0.3 is full");
  const applied = [];
  const { handler } = receiver({
    onError: (error) => errors.push(error),
    apply: (change) => {
      if (fail) {
        throw fail;
      }
      applied.push(change.delivery.sequence);
    },
  });
  const answer = await handler.handle(...webhook({ sequence: 4 }));
  assert.equal(answer.status, 500);
  assert.ok(!answer.body.includes("10.0.0.3"));
  fail = new Later(89.5);
  const later = await handler.handle(...webhook({ sequence: 4 }));
  assert.deepEqual([later.status, later.headers["Retry-After"]], [503, "90"]);
  assert.equal(errors.length, 2);
  fail = undefined;
  await handler.handle(...webhook({ sequence: 3 }));
  await handler.handle(...webhook({ sequence: 4 }));
  assert.deepEqual(applied, [3, 4]);
});

test("one change of a tenant at a time, never out of order", async () => {
  const inside = new Map();
  const last = new Map();
  const { handler } = receiver({
    apply: async ({ tenant, delivery }) => {
      assert.ok(!inside.get(tenant.id), "two at once");
      inside.set(tenant.id, true);
      await new Promise(setImmediate);
      assert.ok(delivery.sequence >= (last.get(tenant.id) ?? 0), "out of order");
      last.set(tenant.id, delivery.sequence);
      inside.set(tenant.id, false);
    },
    onError: (error) => assert.fail(error),
  });
  const all = [];
  for (let tenant = 1; tenant <= 3; tenant++) {
    for (const sequence of [5, 1, 9, 3, 12, 2, 12, 11]) {
      all.push(handler.handle(...webhook({ tenant, sequence })));
    }
  }
  for (const answer of await Promise.all(all)) {
    assert.equal(answer.status, 204);
  }
  assert.deepEqual([...last.values()], [12, 12, 12]);
});

test("tests are told to who wants to know", async () => {
  const tests = [];
  const { handler, applied } = receiver({ test: (change) => void tests.push(change.delivery.test) });
  await handler.handle(...webhook({ body: bodyOf(0, 1, "provisioning-test") }));
  assert.deepEqual([tests, applied], [[true], []]);
});

test("requests of fetch", async () => {
  const { handler, applied } = receiver({ maxBody: 2000 });
  const post = (request) => {
    const [headers, body] = webhook(request);
    return handler.fetch(new Request("http://example.com/", { method: "POST", headers, body }));
  };
  assert.equal((await post({})).status, 204);
  assert.equal((await post({ secrets: [another] })).status, 401);
  assert.equal((await post({ body: "x".repeat(3000) })).status, 413);
  assert.equal((await handler.fetch(new Request("http://example.com/"))).status, 405);
  assert.deepEqual(applied, [1]);
});

test("requests of node:http whose body was read by a framework", async () => {
  const { handler, applied } = receiver();
  let parse;
  const server = http.createServer(async (request, response) => {
    const parts = await request.toArray();
    request.body = parse(Buffer.concat(parts));
    await handler.node(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => (server.closeAllConnections(), server.close()));
  const post = async (as) => {
    parse = as;
    const [headers, body] = webhook();
    return fetch(`http://127.0.0.1:${server.address().port}/`, { method: "POST", headers, body });
  };
  assert.equal((await post((raw) => raw)).status, 204);
  assert.equal((await post(String)).status, 204);
  const parsed = await post(JSON.parse);
  assert.equal(parsed.status, 500);
  assert.match(await parsed.text(), /before what parses bodies/);
  assert.deepEqual(applied, [1, 1]);
});

test("handlers that cannot work are refused", () => {
  for (const wrong of [{ secrets: [] }, { secrets: "" }, { secrets: "whsec_?" }, { store: undefined }, { apply: undefined }]) {
    assert.throws(() => receiver(wrong), TypeError);
  }
});

test("webhooks of a real server arrive at a server of node:http", async () => {
  const { client } = dial(await startServer(), { scopes: allScopes });
  const subscription = await fill(client);
  const signing = await client.platformSigningSecret({ code: "app" });
  const changes = [];
  const tests = [];
  let fail = true;
  const handler = new WebhookHandler({
    secrets: [signing],
    store: new MemoryStore(),
    test: (change) => void tests.push(change),
    onError: () => {},
    apply: (change) => {
      if (fail) {
        fail = false;
        throw new Error("a bad day");
      }
      changes.push(change);
    },
  });
  const server = http.createServer(handler.node);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${server.address().port}/webhooks`;
  const [workflow] = await client.workflows();
  await client.workflowUpdate({ id: workflow.id, attributes: { recipe: { url, retryDelays: [1] } } });
  await eventually("the first change arrives", () => changes.length === 1);
  await client.subscriptionQuantityUpdate({ subscriptionId: subscription.id, quantities: [{ code: "users", quantity: 9 }] });
  await eventually("the second change arrives", () => changes.length === 2);
  const [first, second] = changes;
  assert.equal(first.delivery.attempt, 2);
  assert.equal(second.delivery.sequence, first.delivery.sequence + 1);
  assert.equal(feature(second, "users").quantity, 9);
  assert.equal(feature(second, "sso").quantity, null);
  assert.equal(feature(second, "none"), undefined);
  assert.equal(second.tenant.account.contacts[0].email, "ann@example.com");
  const [told] = second.subscriptions;
  assert.deepEqual([told.state, told.plan.code, told.price_list.code, told.trial_start_date], ["active", "pro", "pro-monthly", null]);

  const { platform } = workflow;
  const { attempt } = await client.platformWebhookTest({ id: platform.id });
  assert.deepEqual([attempt.status, tests.length], [204, 1]);
  await client.platformSigningSecretRotate({ id: platform.id });
  await client.tenantSync({ code: "acme" });
  await eventually("a change signed with both secrets arrives", () => changes.length === 3);
  assert.notEqual(await client.platformSigningSecret({ code: "app" }), signing);

  assert.equal((await fetch(url)).status, 405);
  assert.equal((await fetch(url, { method: "POST", body: "{}" })).status, 400);
});
