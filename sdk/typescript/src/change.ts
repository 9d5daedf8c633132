/** Tells all that a tenant may use now: its whole state, whatever came before. */
export interface Change {
  delivery: Delivery;
  tenant: Tenant;
  /** What must be enabled on the tenant, and nothing else. */
  features: Feature[];
  /** The subscriptions behind the features; usually one. */
  subscriptions: Subscription[];
  /** The body as it was received. */
  body: string;
}

/** What the headers of a webhook say. */
export interface Delivery {
  /** The event's id, the same in every attempt and resend. */
  id: string;
  /** The event's number among those of the tenant. */
  sequence: number;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** Whether somebody sent an older state again on purpose. */
  forced: boolean;
  /** When the request was made. */
  timestamp: Date;
  /** Whether this is a test event with made-up data. */
  test: boolean;
}

/** A customer's instance in your application. Find it by its code within the platform; if there is none, make it. */
export interface Tenant {
  id: number;
  code: string;
  name: string;
  platform: Platform;
  account: Account;
}

export interface Platform {
  id: number;
  code: string;
  name: string;
}

export interface Account {
  id: number;
  name: string;
  /** The day of the month on which the account is billed. */
  billing_day: number;
  contacts: Contact[];
}

/** A person at the customer. A missing text is empty. */
export interface Contact {
  id: number;
  first_name: string;
  last_name: string;
  email: string;
}

export interface Feature {
  code: string;
  name: string;
  value: string;
  /** The limit to enforce; null means that there is none. */
  quantity: number | null;
}

/** There may be more states one day; only trial and active give features. */
/** A suspended subscription is unpaid: it gives nothing until it is paid. */
export type SubscriptionState = "pending" | "trial" | "active" | "suspended" | "canceled" | "expired" | "trial_expired";

/** Dates are written YYYY-MM-DD. */
export interface Subscription {
  id: number;
  state: SubscriptionState;
  start_date: string;
  end_date: string;
  trial_start_date: string | null;
  trial_end_date: string | null;
  plan: { code: string | null; name: string };
  price_list: { code: string; name: string };
  product: { code: string; name: string };
  features: Feature[];
}

const changeType = "TenantProvisioningChange";

/** The code of the tenant in a test event. */
export const testTenantCode = "provisioning-test";

/** Returns a feature of a change by its code; undefined if the tenant may not use it. */
export function feature(change: Change, code: string): Feature | undefined {
  return change.features.find((f) => f.code === code);
}

/**
 * Whether unpaid invoices keep a subscription from giving the tenant anything. Keep its people able to sign in, to see
 * why, and to pay: the payment brings a change with everything that they had.
 */
export function suspended(change: Pick<Change, "subscriptions">): boolean {
  return change.subscriptions.some((s) => s.state === "suspended");
}

/** Reads a body; undefined for an event of a type that is not known here. Throws a text that says what is wrong. */
export function parseBody(body: string): Omit<Change, "delivery"> | undefined {
  let envelope: { type?: unknown; payload?: { tenant?: Tenant; change?: Pick<Change, "features" | "subscriptions"> } } | null;
  try {
    envelope = JSON.parse(body);
  } catch {
    throw new TypeError("the body is not JSON");
  }
  if (typeof envelope?.type !== "string") {
    throw new TypeError("the body has no type; if the platform's workflow has a payload program, use verify and read the body yourself");
  }
  if (envelope.type !== changeType) {
    return undefined;
  }
  const { tenant, change } = envelope.payload ?? {};
  if (typeof tenant?.id !== "number" || !Array.isArray(change?.features) || !Array.isArray(change.subscriptions)) {
    throw new TypeError("the body has no payload.tenant and payload.change");
  }
  return { tenant, features: change.features, subscriptions: change.subscriptions, body };
}
