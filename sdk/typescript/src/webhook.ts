// Receives the webhooks of Tenantry. Calling the API is in "tenantry".

export type {
  Account,
  Change,
  Contact,
  Delivery,
  Feature,
  Platform,
  Subscription,
  SubscriptionState,
  Tenant,
} from "./change.js";
export { feature, testTenantCode } from "./change.js";
export { Later, WebhookHandler, type WebhookAnswer, type WebhookOptions } from "./handler.js";
export { MemoryStore, type SequenceStore } from "./sequence.js";
export { SqlStore, type SqlTransaction } from "./sqlstore.js";
export { verify, WebhookError, type HeaderSource, type VerifyOptions } from "./verify.js";
