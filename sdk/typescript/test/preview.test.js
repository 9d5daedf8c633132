import assert from "node:assert/strict";
import { before, test } from "node:test";

import { GraphQLErrors, TenantryError, TooManyTenants, UserErrors } from "tenantry";
import { answers, dial, loseAnswer, startNetwork, startServer } from "./server.js";
import { fill } from "./fill.js";

const graphql = "/graphql";
let network, client, subscriptionId;
before(async () => {
  network = await startNetwork(await startServer());
  ({ client } = dial(network.url));
  subscriptionId = (await fill(client)).id;
});

const update = (quantity, options) => client.subscriptionQuantityUpdate({ subscriptionId, quantities: [{ code: "users", quantity }] }, options);
const quantityNow = async (options) => (await client.subscription({ id: subscriptionId }, options)).charges[0].quantity;

test("a preview says what would be done, and leaves nothing behind, not even its key", async () => {
  const events = (await client.webhookEvents()).length;
  const before = network.requests(graphql).length;
  network.breakNext(graphql, loseAnswer);
  const { result, impact } = await client.preview((options) => update(9, options), { idempotencyKey: "job 12" });
  assert.equal(result.charges[0].quantity, 9);
  assert.deepEqual([impact.tenants, impact.webhooks, impact.subscriptions], [1, 1, 1]);
  assert.deepEqual(impact.features, [{ code: "users", gain: 0, lose: 0, change: 1, tenants: ["acme"] }]);
  assert.deepEqual([impact.money[0].currency, impact.money[0].perMonth], ["EUR", "79.80"]);
  const previews = network.requests(graphql).slice(before);
  assert.equal(previews.length, 2);
  for (const { headers } of previews) {
    assert.deepEqual([headers["tenantry-preview"], headers["idempotency-key"]], ["true", undefined]);
  }
  assert.equal(await quantityNow({ preview: true }), 5); // a query is none
  assert.equal((await client.webhookEvents()).length, events);

  assert.equal((await update(9, { idempotencyKey: "job 12" })).charges[0].quantity, 9);
  const { headers } = network.requests(graphql).at(-1);
  assert.deepEqual([headers["tenantry-preview"], headers["idempotency-key"]], [undefined, "job 12"]);
  await update(5);
});

test("the options alone do, for documents of one's own too", async () => {
  const impacts = [];
  const options = { preview: true, onImpact: (impact) => impacts.push(impact.tenants) };
  await update(8, options);
  await client.request("mutation ($id: ID!) { subscriptionCancel(ids: [$id]) { errors } }", { id: subscriptionId }, options);
  assert.deepEqual(impacts, [1, 1]);
  assert.equal(await quantityNow(), 5);
});

test("previews that fail say so", async () => {
  await assert.rejects(client.preview((options) => update(-1, options)), UserErrors);
  await assert.rejects(client.preview(() => quantityNow()), /made no mutation/);
  network.breakNext(graphql, answers(200, '{"data":{"accountCreate":{"account":{"id":"1"},"userErrors":[]}}}'));
  const create = client.preview((options) => client.accountCreate({ attributes: { name: "x" } }, options));
  await assert.rejects(create, (e) => e instanceof TenantryError && /knows no previews/.test(e.message));
  const report = client.tenantStateSend({ platform: "app", complete: true, lines: "" }, { preview: true });
  await assert.rejects(report, (e) => e instanceof GraphQLErrors && /nothing was done/.test(e.message));
});

test("a mutation that would reach too many tenants is refused", async () => {
  await assert.rejects(update(9, { expectTenants: 0 }), (e) => {
    assert.ok(e instanceof TooManyTenants && e instanceof GraphQLErrors && e.has("CONFLICT"));
    assert.deepEqual([e.impact.tenants, e.expected, e.impact.features[0].code], [1, 0, "users"]);
    return true;
  });
  assert.equal(await quantityNow(), 5);
  await update(9, { expectTenants: 1 });
  assert.equal(await quantityNow(), 9);
});
