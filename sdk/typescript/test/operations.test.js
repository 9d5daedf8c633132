import assert from "node:assert/strict";
import { before, test } from "node:test";

import { GraphQLErrors, UserErrors } from "tenantry";
import { allScopes, dial, startServer } from "./server.js";
import { fill } from "./fill.js";

let client;
before(async () => {
  ({ client } = dial(await startServer(), { scopes: allScopes }));
  await fill(client);
  await client.apiClientCreate({ attributes: { name: "another", scopes: ["standard:read"] } });
});

/** Arguments for any operation, from what its schema says. */
function argumentsOf(field) {
  const simplest = { ID: "1", String: "1", Int: 1, Boolean: true, ISO8601Date: "2026-01-31", ISO8601DateTime: "2026-01-31T00:00:00Z", PaymentProvider: "TEST" };
  const all = {};
  for (const { name, type } of field.args) {
    if (name === "limit" || name === "first") {
      all[name] = 1000;
    }
    if (type.kind !== "NON_NULL") {
      if (name === "id") {
        all.id = "1";
      }
      continue;
    }
    const of = type.ofType;
    const inner = of.kind === "LIST" ? of.ofType.ofType : of;
    const value = simplest[inner.name] ?? {};
    all[name] = of.kind === "LIST" ? [value] : value;
  }
  if (field.name.startsWith("apiClient") && all.id) {
    all.id = "2"; // not the one that calls
  }
  if ("filter" in all) {
    all.filter = "";
  }
  return all;
}

test("there is a call for every operation, which the server accepts", async () => {
  const type = "kind name ofType { kind name ofType { kind name ofType { kind name } } }";
  const { __schema } = await client.request(
    `{ __schema { queryType { fields { name args { name type { ${type} } } } } mutationType { fields { name args { name type { ${type} } } } } } }`,
  );
  const fields = [...__schema.queryType.fields, ...__schema.mutationType.fields];
  assert.ok(fields.length > 90, `${fields.length} operations`);
  const last = (field) => Number(field.name.includes("Delete")); // so that others find something
  for (const field of fields.sort((a, b) => last(a) - last(b))) {
    assert.equal(typeof client[field.name], "function", field.name);
    try {
      if (field.args.length > 0) {
        await client[field.name](argumentsOf(field));
      } else {
        await client[field.name]();
      }
    } catch (error) {
      const expected = error instanceof UserErrors || (error instanceof GraphQLErrors && error.has("BAD_USER_INPUT"));
      assert.ok(expected, `${field.name}: ${error}`);
    }
  }
});

test("answers have their values", async () => {
  const { client: fresh } = dial(await startServer());
  const subscription = await fill(fresh);
  assert.equal(subscription.state, "ACTIVE");
  assert.equal(subscription.tenant.code, "acme");
  assert.equal(subscription.charges[0].quantity, 5);
  assert.equal(await fresh.account({ code: "nobody" }), null);
  const access = await fresh.featureAccess({ tenantCode: "acme", featureCode: "users" });
  assert.deepEqual([access.allowed, access.quantity], [true, 5]);
  const [canceled] = await fresh.subscriptionCancel({ ids: [subscription.id], atTermEnd: true });
  assert.ok(canceled.cancellationDate);

  const account = await fresh.accountUpdate({ id: subscription.account.id, attributes: { phone: "123", fax: "456" } });
  const changed = await fresh.accountUpdate({ id: account.id, attributes: { phone: null, fax: undefined } });
  assert.deepEqual([changed.phone, changed.fax], [null, "456"]);
});

test("lists are paged through", async () => {
  const { client: fresh } = dial(await startServer());
  const many = 205; // more than a page
  const parts = Array.from({ length: many }, (_, i) => `a${i}: accountCreate(attributes: {name: "Acme"}) { errors }`);
  await fresh.request(`mutation { ${parts.join(" ")} }`);
  const ids = new Set();
  for await (const account of fresh.allAccounts({ filter: "acme" })) {
    ids.add(account.id);
  }
  assert.equal(ids.size, many);
  const page = await fresh.accountsConnection({ first: 2, total: true });
  assert.deepEqual([page.nodes.length, page.pageInfo.hasNextPage, page.totalCount], [2, true, many]);
  assert.equal((await fresh.accountsConnection()).totalCount, undefined);
});

test("refusals say why", async () => {
  await assert.rejects(
    client.accountCreate({ attributes: {} }),
    (e) => e instanceof UserErrors && e.has("REQUIRED") && e.errors[0].field.join() === "name" && e.message.startsWith("name: "),
  );
  await assert.rejects(client.accountDelete({ id: 404 }), (e) => e.has("NOT_FOUND"));
});
