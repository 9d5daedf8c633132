import assert from "node:assert/strict";
import { before, describe, test } from "node:test";

import { AuthError, ConnectionError, GraphQLErrors, HTTPError, Tenantry, TenantryError } from "tenantry";
import { answers, clientId, clientSecret, cut, dial, eventually, halfAnswer, loseAnswer, startNetwork, startServer } from "./server.js";

const graphql = "/graphql";
const token = "/oauth/token";
const running = '{"data":null,"errors":[{"message":"Still running.","extensions":{"code":"CONFLICT"}}]}';
const later = () => answers(503, "", { "Retry-After": new Date(Date.now() + 20_000).toUTCString() })();

let base;
before(async () => (base = await startServer()));

describe("what passes is tried again, and a mutation happens once", () => {
  const cases = {
    "too many requests": [graphql, answers(429, "slow down", { "Retry-After": "7" }), 7000],
    unavailable: [graphql, answers(503), 100],
    "unavailable until a date": [graphql, later, 10_000],
    "a bad gateway": [graphql, answers(502, "<html>"), 100],
    "a gateway that waited": [graphql, answers(504), 100],
    "a broken connection": [graphql, cut, 100],
    "a lost answer": [graphql, loseAnswer, 100],
    "half an answer": [graphql, halfAnswer, 100],
    "still running": [graphql, answers(200, running, { "Retry-After": "1" }), 1000],
    "no token for too many": [token, answers(429, '{"error":"too_many_requests"}', { "Retry-After": "3" }), 3000],
    "no token while unavailable": [token, answers(503), 100],
    "no connection for a token": [token, cut, 100],
  };
  for (const [name, [path, fault, least]] of Object.entries(cases)) {
    test(name, async () => {
      const network = await startNetwork(base);
      network.breakNext(path, fault);
      const { client, pauses } = dial(network.url);
      const account = await client.accountCreate({ attributes: { name } });
      assert.equal(account.name, name);
      assert.equal(network.requests(path).length, 2);
      assert.equal(pauses.length, 1);
      assert.ok(pauses[0] >= least, `it waited ${pauses[0]} ms, ${least} were asked for`);
      const made = (await client.accounts({ limit: 1000 })).filter((a) => a.name === name);
      assert.equal(made.length, 1);
    });
  }
});

test("all tries of a mutation carry one key, and queries carry none", async () => {
  const network = await startNetwork(base);
  const { client } = dial(network.url);
  network.breakNext(graphql, loseAnswer, answers(503), cut);
  await client.accountCreate({ attributes: { name: "Once" } });
  await client.accountCreate({ attributes: { name: "Twice" } });
  await client.currentClient();
  const first = await client.accountCreate({ attributes: { name: "Own" } }, { idempotencyKey: "job 12" });
  const again = await client.accountCreate({ attributes: { name: "Own" } }, { idempotencyKey: "job 12" });
  assert.equal(first.id, again.id);
  const keys = network.requests(graphql).map((r) => r.headers["idempotency-key"]);
  assert.equal(keys.length, 8);
  assert.equal(new Set(keys.slice(0, 4)).size, 1);
  assert.ok(keys[0] && keys[4] && keys[0] !== keys[4]);
  assert.deepEqual(keys.slice(5), [undefined, "job 12", "job 12"]);
});

test("a long mutation is waited for, but not forever", async () => {
  const network = await startNetwork(base);
  const { client } = dial(network.url);
  const slow = answers(200, running, { "Retry-After": "1" });
  network.breakNext(graphql, ...Array(30).fill(slow));
  await client.accountCreate({ attributes: { name: "Slow" } });
  network.breakNext(graphql, ...Array(1000).fill(slow));
  await assert.rejects(client.accountCreate({ attributes: { name: "Stuck" } }), (e) => e instanceof GraphQLErrors && e.has("CONFLICT"));
});

describe("what lasts is thrown, after as many requests as make sense", () => {
  const status = (code) => (error) => error instanceof HTTPError && error.status === code;
  const cases = {
    "unavailable for long": [graphql, answers(503, "down"), 5, status(503)],
    "a wait that is too long": [graphql, answers(429, "", { "Retry-After": "3600" }), 1, (e) => status(429)(e) && e.retryAfter === 3600],
    "a token that is never good": [graphql, answers(401, '[{"description":["The access token is invalid"]}]'), 2, status(401)],
    "a connection that always breaks": [graphql, cut, 5, (e) => e instanceof ConnectionError && e.message.includes("fetch failed: ")],
    "not found": [graphql, answers(404, "no such page"), 1, status(404)],
    "a redirect": [graphql, answers(307, "", { Location: "/elsewhere" }), 1, status(307)],
    "no JSON": [graphql, answers(200, "<html>"), 1, (e) => e instanceof TenantryError && e.message.includes("base URL")],
    "a token page": [token, answers(200, "<html>"), 1, (e) => e instanceof TenantryError && e.message.includes("base URL")],
    "a token error page": [token, answers(500, "<html>"), 1, status(500)],
    "no token for long": [token, answers(503), 5, status(503)],
  };
  for (const [name, [path, fault, requests, fits]] of Object.entries(cases)) {
    test(name, async () => {
      const network = await startNetwork(base);
      network.breakNext(path, ...Array(20).fill(fault));
      await assert.rejects(dial(network.url).client.currentClient(), fits);
      assert.equal(network.requests(path).length, requests);
    });
  }
});

test("many calls fetch one token", async () => {
  const network = await startNetwork(base);
  const { client } = dial(network.url);
  await Promise.all(Array.from({ length: 40 }, () => client.currentClient()));
  assert.equal(network.requests(token).length, 1);
});

test("a token is renewed before it runs out, and nobody waits for it", async () => {
  const network = await startNetwork(base);
  let now = Date.now();
  const { client } = dial(network.url, { now: () => now });
  const used = () => new Set(network.requests(graphql).map((r) => r.headers.authorization)).size;
  await client.currentClient();
  now += (7200 - 61) * 1000;
  await client.currentClient();
  assert.equal(network.requests(token).length, 1);
  now += 2000;
  network.breakNext(token, answers(400, '{"error":"invalid_scope","error_description":"no"}'));
  await client.currentClient();
  await eventually("the renewal failed", () => network.requests(token).length === 2);
  await client.currentClient();
  assert.equal(used(), 1);
  await eventually("it is renewed", async () => {
    now += 1001;
    await client.currentClient();
    return used() === 2;
  });
});

test("a refused token is replaced once, without a pause", async () => {
  const network = await startNetwork(base);
  const { client, pauses } = dial(network.url);
  network.breakNext(graphql, answers(401, '[{"description":["The access token expired"]}]'));
  await client.currentClient();
  assert.equal(network.requests(graphql).length, 2);
  assert.equal(network.requests(token).length, 2);
  assert.deepEqual(pauses, []);
});

test("wrong credentials and scopes are said", async () => {
  const fits = (code) => (error) => error instanceof AuthError && error.code === code && error.description !== "";
  await assert.rejects(dial(base, { clientSecret: "wrong" }).client.currentClient(), fits("invalid_client"));
  await assert.rejects(dial(`${base}/`, { scopes: ["everything"] }).client.currentClient(), fits("invalid_scope"));
});

test("a server that does not answer is asked again", async () => {
  const network = await startNetwork(base);
  const { client } = dial(network.url, { timeout: 2000, userAgent: "shop/1" });
  await client.currentClient();
  network.breakNext(graphql, () => undefined);
  await client.currentClient();
  const requests = network.requests(graphql);
  assert.ok(requests.length >= 3);
  assert.equal(requests[0].headers["user-agent"], "shop/1 tenantry-node");
});

test("an aborted call ends at once", async () => {
  const network = await startNetwork(base);
  const gone = new Error("nobody waits any more");
  for (const path of [token, graphql]) {
    const controller = new AbortController();
    network.breakNext(path, () => controller.abort(gone));
    await assert.rejects(dial(network.url).client.currentClient({ signal: controller.signal }), gone);
  }
  await assert.rejects(dial(network.url).client.currentClient({ signal: AbortSignal.abort(gone) }), gone);
  const controller = new AbortController();
  network.breakNext(graphql, answers(503));
  const { client } = dial(network.url, {
    sleep: async (_, signal) => {
      controller.abort(gone);
      signal.throwIfAborted();
    },
  });
  await assert.rejects(client.currentClient({ signal: controller.signal }), gone);
});

test("real pauses end with the signal", async () => {
  const network = await startNetwork(base);
  const client = new Tenantry({ baseUrl: network.url, clientId, clientSecret });
  const controller = new AbortController();
  network.breakNext(graphql, () => {
    setImmediate(() => setTimeout(() => controller.abort(new Error("enough")), 20));
    return { status: 503, headers: { "Retry-After": "20" }, body: "" };
  });
  await assert.rejects(client.currentClient({ signal: controller.signal }), /enough/);
});

test("configuration that cannot work is refused", () => {
  const right = { baseUrl: base, clientId, clientSecret };
  for (const wrong of [
    { baseUrl: "billing.example.com" },
    { baseUrl: "ftp://billing.example.com" },
    { baseUrl: "https://me:pw@billing.example.com" },
    { baseUrl: "https://billing.example.com?x" },
    { clientId: "" },
    { clientSecret: "" },
    { timeout: 0 },
    { maxTries: -1 },
  ]) {
    assert.throws(() => new Tenantry({ ...right, ...wrong }), TenantryError);
  }
});

test("errors of the answer are thrown with the data that came", async () => {
  const { client } = dial(base);
  await assert.rejects(
    client.request("{ currentClient { name } apiClient(id: 1) { id } }"),
    (e) => e instanceof GraphQLErrors && e.has("FORBIDDEN") && e.errors[0].path[0] === "apiClient" && e.data.currentClient !== undefined,
  );
  await assert.rejects(client.request("{ nonsense }"), (e) => e.has("GRAPHQL_VALIDATION_FAILED"));
});
