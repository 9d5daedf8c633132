import assert from "node:assert/strict";
import { before, test } from "node:test";

import { GraphQLErrors } from "tenantry";
import { MemoryStore, Reporter } from "tenantry/webhook";
import { dial, eventually, loseAnswer } from "./server.js";
import { startReporting } from "./reporting.js";

const none = { inSync: 0, behind: 0, drifted: 0, ahead: 0, unknownTenant: 0, missing: 0 };
const users = (quantity) => [{ code: "users", quantity }, { code: "sso" }];

let app;
before(async () => (app = await startReporting(5)));

/** The tenants as they are, with changes. */
const all = (changes = {}) => [...app.tenants.values()].map((tenant) => ({ ...tenant, ...changes[tenant.code] }));
const reporterOf = (options) => new Reporter({ client: app.client, platform: "app", ...options });

test("a full report is sent in parts and finds what differs", async () => {
  const begun = app.parts().length;
  let sent = 0;
  // Which part it is only the reporter knows, so the fault is set when the second comes.
  const client = {
    tenantStateSend(part, options) {
      if (++sent === 2) {
        const query = new URLSearchParams({ platform: part.platform, report: part.report });
        app.network.breakNext(`/tenants/state?${query}`, loseAnswer);
      }
      return app.client.tenantStateSend(part, options);
    },
  };
  const report = await reporterOf({ client, maxTenants: 2, tenants: () => all({ t2: { features: users(7) } }) }).report();
  assert.deepEqual(report.outcomes, { ...none, inSync: 4, drifted: 1 });
  assert.deepEqual([report.tenants, report.requests], [5, 3]);
  assert.equal(report.differing.length, 1);
  const [{ code, outcome, features }] = report.differing;
  assert.deepEqual([code, outcome], ["t2", "DRIFTED"]);
  const sides = { expected: { value: "", quantity: 5 }, actual: { value: "", quantity: 7 } };
  assert.deepEqual(features, [{ code: "users", kind: "WRONG_QUANTITY", ...sides }]);

  const parts = app.parts().slice(begun);
  const queries = parts.map((r) => new URL(r.path, "http://x").searchParams);
  assert.deepEqual(queries.map((q) => q.get("complete")), [null, null, null, "true"]);
  assert.ok(queries.every((q) => q.get("report") === report.id));
  const keys = parts.map((r) => r.headers["idempotency-key"]);
  assert.equal(keys[1], keys[2]);
  assert.equal(new Set(keys).size, 3);
  const known = (await app.reports()).find((r) => r.report === report.id);
  assert.ok(known.completedAt);
});

test("parts are bounded by bytes, too", async () => {
  const report = await reporterOf({ maxBytes: 250, tenants: () => all() }).report();
  assert.deepEqual(report.outcomes, { ...none, inSync: 5 });
  assert.equal(report.requests, 5);
  await assert.rejects(reporterOf({ maxBytes: 20, tenants: () => all() }).report(), /tenant "t1" has/);
});

test("a report is not completed after an error", async () => {
  const broken = new Error("the database is away");
  const begun = app.parts().length;
  const reporter = reporterOf({
    maxTenants: 2,
    async *tenants() {
      yield* all().slice(0, 3);
      throw broken;
    },
  });
  await assert.rejects(reporter.report(), (e) => e === broken);
  const parts = app.parts().slice(begun);
  assert.equal(parts.length, 1);
  const id = new URL(parts[0].path, "http://x").searchParams.get("report");
  const known = (await app.reports()).find((r) => r.report === id);
  assert.deepEqual([known.completedAt, known.outcomes.missing], [null, 0]);
});

test("a report outlives its token", async () => {
  let now = Date.now();
  const { client } = dial(app.network.url, { now: () => now });
  const tokens = app.network.requests("/oauth/token").length;
  const reporter = reporterOf({
    client,
    maxTenants: 2,
    *tenants() {
      for (const [i, tenant] of all().entries()) {
        now += i === 3 ? 3 * 3600 * 1000 : 0;
        yield tenant;
      }
    },
  });
  assert.deepEqual((await reporter.report()).outcomes, { ...none, inSync: 5 });
  assert.equal(app.network.requests("/oauth/token").length, tokens + 2);
});

test("a webhook that arrives while its tenant is looked at is no drift", async () => {
  let looked = 0;
  const reporter = reporterOf({
    sequences: app.store,
    tenants: () => [{ id: app.tenants.get("t5").id, code: "t5" }],
    async features({ code }) {
      if (++looked === 1) {
        const { asked } = app.store;
        await app.client.subscriptionQuantityUpdate({ subscriptionId: app.subscriptions[4].id, quantities: [{ code: "users", quantity: 9 }] });
        await eventually("the handler asks for its turn", () => app.store.asked > asked);
        await new Promise((resolve) => setImmediate(resolve)); // in which it would have been applied
        assert.equal(app.tenants.get(code).sequence, 1, "it was applied while its tenant was looked at");
      }
      return app.tenants.get(code).features;
    },
  });
  const { outcomes } = await reporter.report();
  assert.deepEqual([outcomes.drifted, outcomes.inSync + outcomes.behind], [0, 1]);
  await eventually("the webhook is applied", async () => app.tenants.get("t5").sequence === 2 && (await app.delivered()));
  assert.deepEqual((await reporter.report()).outcomes, { ...none, inSync: 1 });
});

test("tenants that are gone are left out, and errors are thrown", async () => {
  const broken = new Error("the database is away");
  let fail = () => null;
  const features = ({ code }) => (code === "t2" ? fail() : app.tenants.get(code).features);
  const reporter = reporterOf({ sequences: app.store, features, tenants: () => all().map(({ id, code }) => ({ id, code })) });
  const report = await reporter.report();
  assert.deepEqual([report.tenants, report.outcomes.drifted], [4, 0]);
  fail = () => {
    throw broken;
  };
  await assert.rejects(reporter.report(), (e) => e === broken);
  await assert.rejects(reporter.reportTenants([{ code: "t1" }]), /no id/);
});

test("some tenants can be reported alone", async () => {
  const known = (await app.reports()).length;
  const reporter = reporterOf({ maxTenants: 1 });
  const [first, second] = all({ t2: { features: users(7) } });
  const report = await reporter.reportTenants([first, second, { code: "other", sequence: 0, features: [] }]);
  assert.deepEqual(report.outcomes, { ...none, inSync: 1, drifted: 1, unknownTenant: 1 });
  assert.deepEqual([report.id, report.requests, report.differing.length], [undefined, 3, 2]);
  assert.equal((await app.reports()).length, known);
  await assert.rejects(reporter.reportTenants([{ code: "t1" }]), /no sequence or no features/);
  await assert.rejects(reporterOf({ platform: "nowhere", tenants: () => [] }).report(), (e) => e instanceof GraphQLErrors && /nowhere/.test(e.message));
});

test("a schedule goes on after an error, one report at a time, until it is stopped", async () => {
  const told = [];
  const pauses = [];
  let now = 0;
  let runs = 0;
  const reporter = reporterOf({
    now: () => Date.now() + now,
    async *tenants() {
      await assert.rejects(reporter.report(), /under way/);
      if (++runs === 2) {
        now += 600_000; // which is how long it takes
        throw new Error("the database is away");
      }
      yield* all();
    },
    onReport: (report) => told.push(report.outcomes.inSync),
    onError: (error) => told.push(error.message),
    sleep: async (milliseconds, signal) => {
      pauses.push(milliseconds);
      if (pauses.length > 3) {
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }
    },
  });
  reporter.start(3_600_000);
  assert.throws(() => reporter.start(1), /started before/);
  await eventually("three reports", () => pauses.length === 4);
  await reporter.stop();
  assert.deepEqual(told, [5, "the database is away", 5]);
  const near = (pause, want) => Math.abs(pause - want) <= 190_000;
  assert.ok(pauses[0] <= 60_000 && near(pauses[1], 3_600_000) && near(pauses[2], 3_000_000), String(pauses));
  await reporter.stop(); // which is nothing any more
});

test("stop ends a report that is under way", async () => {
  const errors = [];
  let begun = false;
  let goOn;
  const mayGoOn = new Promise((resolve) => (goOn = resolve));
  const reporter = reporterOf({
    async *tenants() {
      begun = true;
      await mayGoOn;
      yield* all();
    },
    onReport: () => errors.push("it was completed"),
    onError: (error) => errors.push(error),
    sleep: async () => {},
  });
  reporter.start(1000);
  await eventually("a report begins", () => begun);
  const stopped = reporter.stop();
  goOn();
  await stopped;
  assert.deepEqual(errors, []);
});

test("reporters that cannot work are refused", async () => {
  assert.throws(() => new Reporter({ platform: "app" }), TypeError);
  assert.throws(() => reporterOf({ platform: "" }), TypeError);
  assert.throws(() => reporterOf({ sequences: new MemoryStore() }), TypeError);
  assert.throws(() => reporterOf({ features: () => [] }), TypeError);
  assert.throws(() => reporterOf({}).start(0), TypeError);
  await assert.rejects(reporterOf({}).report(), TypeError);
});
