// Calls the API of Tenantry. Receiving webhooks is in "tenantry/webhook".

export { Tenantry, type TenantryOptions } from "./tenantry.js";
export type { FeatureImpact, Impact, MoneyImpact } from "./impact.js";
export type { DifferingTenant, FeatureDifference, FeatureState, FullReport, TenantStatePart, TenantStateResult } from "./state.js";
export type { CallOptions, Connection, Page } from "./caller.js";
export {
  AuthError,
  ConnectionError,
  GraphQLErrors,
  HTTPError,
  TenantryError,
  TooManyTenants,
  UserErrors,
  type GraphQLErrorEntry,
  type UserErrorEntry,
} from "./errors.js";
export type * from "./operations.js";
