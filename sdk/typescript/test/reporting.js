// An application that reports what its tenants have to a real server.
import http from "node:http";

import { MemoryStore, WebhookHandler } from "tenantry/webhook";
import { allScopes, atEnd, dial, eventually, startNetwork, startServer } from "./server.js";
import { fill } from "./fill.js";

/** Counts who asked for a turn. */
class CountingStore extends MemoryStore {
  asked = 0;

  update(...args) {
    this.asked++;
    return super.update(...args);
  }
}

/** Starts a server with so many tenants, t1 and so on with five users each, that the application was told of. */
export async function startReporting(count) {
  const network = await startNetwork(await startServer());
  const { client } = dial(network.url, { scopes: allScopes });
  const first = await fill(client);
  await client.subscriptionCancel({ ids: [first.id] });
  const store = new CountingStore();
  const tenants = new Map();
  const handler = new WebhookHandler({
    secrets: await client.platformSigningSecret({ code: "app" }),
    store,
    apply({ tenant: { id, code }, delivery: { sequence }, features }) {
      if (code !== "acme") {
        tenants.set(code, { id, code, sequence, features });
      }
    },
  });
  const receiver = http.createServer(handler.node);
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const platform = await client.platform({ code: "app" });
  await client.platformUpdate({ id: platform.id, attributes: { webhookUrl: `http://127.0.0.1:${receiver.address().port}` } });
  const { accounts } = await client.request('{ accounts(filter: "acme") { id } }');
  const subscriptions = [];
  for (let i = 1; i <= count; i++) {
    const attributes = { accountId: accounts[0].id, priceListCode: "pro-monthly", tenantCode: `t${i}`, quantities: [{ code: "users", quantity: 5 }] };
    subscriptions.push(await client.subscriptionCreate({ attributes }));
  }
  const events = () => client.webhookEvents({ filter: "platform:app", limit: 1000 });
  const delivered = async () => (await events()).every((e) => ["DELIVERED", "SUPERSEDED"].includes(e.state));
  await eventually("all tenants are told", async () => tenants.size === count && (await delivered()));
  return {
    network, client, store, tenants, subscriptions, delivered,
    parts: () => network.seen.filter((r) => r.path.startsWith("/tenants/state")),
    reports: async () => (await client.request('{ platform(code: "app") { driftReports { report completedAt outcomes { missing } } } }')).platform.driftReports,
  };
}
