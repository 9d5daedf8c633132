// What callers write must compile, and what they must not write must not. This
// file is only compiled.
import { Tenantry, TooManyTenants, UserErrors, type Account, type Connection, type Impact, type Subscription } from "tenantry";
import { feature, MemoryStore, Reporter, WebhookHandler, type Report, type SequenceStore } from "tenantry/webhook";

export async function calls(client: Tenantry): Promise<void> {
  const account: Account = await client.accountCreate({ attributes: { name: "Acme", phone: null } });
  const found: Account | null = await client.account({ code: "acme" });
  const list: Account[] = await client.accounts();
  const page: Connection<Account> = await client.accountsConnection({ first: 10, total: true });
  const canceled: Subscription[] = await client.subscriptionCancel({ ids: [1, "2"], atTermEnd: true });
  for await (const tenant of client.allTenants({ filter: "acme" })) {
    const state: "PENDING" | "TRIAL" | "ACTIVE" | "CANCELED" | "EXPIRED" | "TRIAL_EXPIRED" | undefined = tenant.subscriptions[0]?.state;
    void state;
  }
  const data = await client.request<{ accounts: { id: string }[] }>("{ accounts { id } }", {}, { signal: AbortSignal.timeout(1000) });
  void [account, found, list, page, canceled, data.accounts];

  // @ts-expect-error the attributes are needed
  await client.accountCreate({});
  // @ts-expect-error there is no such attribute
  await client.accountCreate({ attributes: { nmae: "Acme" } });
  // @ts-expect-error there is no such state
  await client.featureCreate({ productId: "1", attributes: { kind: "OTHER" } });
  // @ts-expect-error what a call does not select is not there
  void account.subscriptions;
  // @ts-expect-error one of the keys is needed
  await client.account();
}

export function receives(store: SequenceStore = new MemoryStore()): WebhookHandler {
  return new WebhookHandler({
    secrets: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    store,
    apply(change) {
      const limit: number | null | undefined = feature(change, "users")?.quantity;
      const day: number = change.tenant.account.billing_day;
      void [limit, day];
    },
  });
}

export function refused(error: unknown): string[] | null | undefined {
  return error instanceof UserErrors && error.has("TAKEN") ? error.errors[0]?.field : undefined;
}

export async function previews(client: Tenantry): Promise<Impact> {
  const { impact, result } = await client.preview((options) => client.accountCreate({ attributes: { name: "Acme" } }, options));
  const account: Account = result;
  try {
    await client.accountUpdate({ id: account.id, attributes: { phone: null } }, { expectTenants: impact.tenants });
  } catch (error) {
    return error instanceof TooManyTenants ? error.impact : impact;
  }
  return impact;
}

export async function reports(client: Tenantry, sequences: SequenceStore): Promise<Report> {
  const whole = new Reporter({
    client,
    platform: "cloud",
    async *tenants() {
      yield { code: "acme", sequence: 1, features: [{ code: "sso" }, { code: "users", quantity: 5 }] };
    },
  });
  whole.start(1000);
  await whole.stop();
  const inTurn = new Reporter({ client, platform: "cloud", sequences, tenants: () => [{ id: 7, code: "acme" }], features: async () => null });
  const report = await inTurn.reportTenants([{ id: 7, code: "acme" }]);
  const missing: number | null | undefined = report.differing[0]?.features[0]?.expected?.quantity;
  void missing;
  // @ts-expect-error the client is needed
  new Reporter({ platform: "cloud" });
  return report;
}
