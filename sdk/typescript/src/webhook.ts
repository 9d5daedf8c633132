// Receives the webhooks of Tenantry, and reports what tenants have. Calling the API is in "tenantry".

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
export { feature, suspended, testTenantCode } from "./change.js";
export {
  EventHandler,
  type BusinessEvent,
  type EventAccount,
  type EventCreditNote,
  type EventData,
  type EventInvoice,
  type EventOptions,
  type EventSubscription,
} from "./event.js";
export { WebhookHandler, type WebhookOptions } from "./handler.js";
export { Later, type WebhookAnswer } from "./receiver.js";
export { Reporter, type Report, type ReportedFeature, type ReporterOptions, type TenantState } from "./reporter.js";
export { MemoryStore, type SequenceStore } from "./sequence.js";
export { SqlStore, type SqlTransaction } from "./sqlstore.js";
export { verify, WebhookError, type HeaderSource, type VerifyOptions } from "./verify.js";
