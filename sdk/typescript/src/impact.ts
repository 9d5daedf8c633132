/** What a mutation does, or would do, to tenants and to what customers pay. */
export interface Impact {
  /** How many tenants are sent a webhook. */
  tenants: number;
  /** What tenants gain and lose, by feature. */
  features: FeatureImpact[];
  /** How many subscriptions are made or changed, or include something else. */
  subscriptions: number;
  /** How many webhooks are recorded; a tenant can get several. */
  webhooks: number;
  /** Roughly how long sending them takes. */
  seconds: number;
  /** An entry for each currency in which something changes. */
  money: MoneyImpact[];
}

/** How many tenants gain a feature, lose it, or have another quantity or value of it. */
export interface FeatureImpact {
  code: string;
  gain: number;
  lose: number;
  change: number;
  /** The codes of up to ten of them, those with the most users first. */
  tenants: string[];
}

/** What changes in one currency. */
export interface MoneyImpact {
  currency: string;
  /** The change of what recurs, converted to a month. */
  perMonth: string;
  /** What is invoiced today, or credited if it is negative. */
  now: string;
  /** What recurs from later days on, in order: in all, and compared with what would recur then without the mutation. */
  later?: { from: string; perMonth: string }[];
}
