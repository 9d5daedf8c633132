import { GraphQLErrors, TenantryError } from "./errors.js";
import { failure, type Answer } from "./http.js";
import type { DriftKind, DriftOutcome, DriftOutcomes } from "./operations.js";
import { isPassing, retryAfter, StillRunning } from "./retry.js";

/** The most that one request of a report may have. */
export const maxStateTenants = 10_000;
export const maxStateBytes = 8 << 20;

/** One request of a report of what tenants have in an application. */
export interface TenantStatePart {
  /** The code of the platform whose tenants these are. */
  platform: string;
  /** The id of the full report that this is a part of; left out if it is about some tenants only. */
  report?: string;
  /** Whether this is the last part of the full report. */
  complete?: boolean;
  /** A line of JSON for each tenant, up to 10,000 of them and 8 MiB. */
  lines: string;
}

/** What came of a part of a report. */
export interface TenantStateResult {
  /** Counts the tenants of the part, and with the last one those that are missing. */
  outcomes: DriftOutcomes;
  /** The first 100 of the part that are not in sync. */
  differing: DifferingTenant[];
  /** How many tenants were told their state again. */
  repaired: number;
  /** The full report so far; null if this is no part of one. */
  report: FullReport | null;
}

/** How far a full report has come. */
export interface FullReport {
  id: string;
  complete: boolean;
  outcomes: DriftOutcomes;
  /** Whether too much of the report differs for it to be believed, so that nothing is repaired until a person does it. */
  held: boolean;
}

/** A tenant that does not have what the application was told. */
export interface DifferingTenant {
  code: string;
  outcome: DriftOutcome;
  sequence: number;
  /** Whether a repair was delivered and changed nothing. */
  persistent: boolean;
  /** Whether this report had the tenant told its state again. One that waits for its turn, or that was told before, is not. */
  repaired: boolean;
  features: FeatureDifference[];
}

/** A feature that is not as the application was told: expected is null if it is EXTRA, actual if it is MISSING. */
export interface FeatureDifference {
  code: string;
  kind: DriftKind;
  expected: FeatureState | null;
  actual: FeatureState | null;
}

/** The value and the quantity of a feature; null means no limit. */
export interface FeatureState {
  value: string;
  quantity: number | null;
}

type Counts = Partial<Record<DriftOutcome, number>>;

/** The address of a part, behind that of the server. */
export function statePath(part: TenantStatePart): string {
  const query = new URLSearchParams({ platform: part.platform });
  if (part.report !== undefined) {
    query.set("report", part.report);
  }
  if (part.complete) {
    query.set("complete", "true");
  }
  return `/tenants/state?${query}`;
}

export function readState(answer: Answer): TenantStateResult {
  if (answer.status !== 200) {
    throw stateFailure(answer);
  }
  let told: { outcomes: Counts; tenants: DifferingTenant[]; repaired: number; report: (Omit<FullReport, "outcomes"> & { outcomes: Counts }) | null };
  try {
    told = JSON.parse(answer.body);
  } catch (error) {
    throw new TenantryError("the answer to a report cannot be read; is the base URL right?", { cause: error });
  }
  return {
    outcomes: typed(told.outcomes),
    differing: told.tenants,
    repaired: told.repaired,
    report: told.report && { ...told.report, outcomes: typed(told.report.outcomes) },
  };
}

/**
 * Why a part does not count: what the server says about it, or the status if that is not its own answer or may be
 * another at the next try.
 */
function stateFailure(answer: Answer): Error {
  let told: { errors?: { message: string; extensions?: { code?: string } }[] } | null = null;
  try {
    told = JSON.parse(answer.body);
  } catch {
    // not an answer of ours
  }
  if (isPassing(answer.status) || !told?.errors?.length) {
    return failure(answer);
  }
  const errors = new GraphQLErrors(told.errors.map((e) => ({ message: e.message, code: e.extensions?.code ?? "" })));
  const wait = retryAfter(answer.headers.get("retry-after"));
  return wait !== undefined && answer.status === 409 ? new StillRunning(errors, wait) : errors;
}

function typed(counts: Counts): DriftOutcomes {
  return {
    inSync: counts.IN_SYNC ?? 0,
    behind: counts.BEHIND ?? 0,
    drifted: counts.DRIFTED ?? 0,
    ahead: counts.AHEAD ?? 0,
    unknownTenant: counts.UNKNOWN_TENANT ?? 0,
    missing: counts.MISSING ?? 0,
  };
}
