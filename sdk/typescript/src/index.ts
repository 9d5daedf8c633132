// Calls the API of Tenantry. Receiving webhooks is in "tenantry/webhook".

export { Tenantry, type TenantryOptions } from "./tenantry.js";
export type { CallOptions, Connection, Page } from "./caller.js";
export {
  AuthError,
  ConnectionError,
  GraphQLErrors,
  HTTPError,
  TenantryError,
  UserErrors,
  type GraphQLErrorEntry,
  type UserErrorEntry,
} from "./errors.js";
export type * from "./operations.js";
