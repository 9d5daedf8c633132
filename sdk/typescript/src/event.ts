import type { Delivery } from "./change.js";
import { answer, checkSecrets, failed, Receiver, refused, type WebhookAnswer } from "./receiver.js";
import { header, sequenceOf, verify, type HeaderSource } from "./verify.js";

/** A business event: something that happened to an account. */
export interface BusinessEvent {
  delivery: Delivery;
  /** What happened, such as InvoicePaid. There may be more types one day. */
  type:
    | "InvoiceIssued"
    | "CreditNoteIssued"
    | "InvoicePaid"
    | "InvoiceOverdue"
    | "PaymentFailed"
    | "StandingChanged"
    | "SubscriptionChanged"
    | (string & {});
  /** When it was recorded. */
  at: Date;
  account: EventAccount;
  /** What the type says: see the documentation of business events. */
  data: EventData;
  /** The body as it was received. */
  body: string;
}

/** The customer that an event is about. */
export interface EventAccount {
  id: string;
  code: string | null;
  name: string;
}

/** What happened. Each type of event has some of the fields. */
export interface EventData {
  /** Of InvoiceIssued, InvoicePaid and InvoiceOverdue, and the reason for a standing. */
  invoice?: EventInvoice | null;
  daysOverdue?: number;
  creditNote?: EventCreditNote;
  /** Of PaymentFailed, as all up to invoices. */
  collection?: { id: string; currencyId: string; amount: string };
  attempt?: number;
  code?: string;
  message?: string;
  /** Whether trying again is of no use. */
  final?: boolean;
  /** When it is tried again; null if it is not. */
  nextAttemptOn?: string | null;
  invoices?: EventInvoice[];
  /** Of StandingChanged, with from, to and reason, and of SubscriptionChanged, with change. */
  subscription?: EventSubscription;
  from?: string;
  to?: string;
  reason?: string;
  change?: { kind: string; from: string | null; to: string };
}

/** An invoice. Amounts are decimals in its currency, dates are written YYYY-MM-DD. */
export interface EventInvoice {
  id: string;
  number: string;
  kind: string;
  entityId: string;
  subscriptionId: string | null;
  currencyId: string;
  subtotal: string;
  taxAmount: string;
  amount: string;
  credits: string;
  amountPaid: string;
  amountDue: string;
  issuedAt: string;
  dueAt: string;
  periodStart: string | null;
  periodEnd: string | null;
  poNumber: string;
}

/** A credit note. Amounts are decimals in its currency. */
export interface EventCreditNote {
  id: string;
  number: string;
  kind: string;
  reason: string;
  entityId: string;
  currencyId: string;
  subtotal: string;
  taxAmount: string;
  amount: string;
  amountApplied: string;
  amountUnapplied: string;
  issuedAt: string;
  invoices: { id: string; number: string }[];
}

type Named = { id: string; code: string | null };

/** A subscription. Its state is written as in the API, such as ACTIVE. */
export interface EventSubscription {
  id: string;
  code: string | null;
  state: string;
  product: Named;
  plan: Named;
  priceList: Named;
  tenant: Named | null;
  startDate: string;
  endDate: string;
  trialStartDate: string | null;
  trialEndDate: string | null;
  cancellationDate: string | null;
  evergreen: boolean;
}

export interface EventOptions {
  /** The signing secrets of the event endpoint: one, or both while it is rotated. */
  secrets: string | string[];
  /**
   * Is called for each event. If it fails, the event comes again, and those of the same account that follow wait for it.
   * An event can come more than once, with the same delivery.id: remember those that you have handled.
   */
  on: (event: BusinessEvent) => Promise<void> | void;
  /** Is told what on failed with. By default it goes to console.error. */
  onError?: (error: unknown, event: BusinessEvent) => void;
  /** How many seconds a request may be old or ahead; 300 if left out. */
  tolerance?: number;
  /** How many bytes an event may have; 4 MiB if left out. */
  maxBody?: number;
  /** The clock that timestamps are compared with, in milliseconds. */
  now?: () => number;
}

/**
 * Receives business events: checks the signature and the age of a request, and calls on with the event. It answers as
 * WebhookHandler does. A test event tells of an invoice with the number TEST, and has delivery.test set.
 */
export class EventHandler extends Receiver {
  readonly #options: EventOptions;

  constructor(options: EventOptions) {
    super(options.maxBody);
    checkSecrets(options.secrets);
    if (typeof options.on !== "function") {
      throw new TypeError("a function to call with events is needed");
    }
    this.#options = options;
  }

  /** Handles an event of any framework: its headers, and its raw body, not one byte changed. */
  async handle(headers: HeaderSource, body: string | Uint8Array): Promise<WebhookAnswer> {
    if (Buffer.byteLength(body) > this.maxBody) {
      return this.tooLarge();
    }
    let event: BusinessEvent;
    try {
      event = this.#read(headers, body);
    } catch (error) {
      return refused(error);
    }
    try {
      await this.#options.on(event);
      return answer(204);
    } catch (error) {
      (this.#options.onError ?? complain)(error, event);
      return failed(error);
    }
  }

  #read(headers: HeaderSource, body: string | Uint8Array): BusinessEvent {
    const { id, timestamp } = verify(this.#options.secrets, headers, body, this.#options);
    const sequence = sequenceOf(headers);
    const text = typeof body === "string" ? body : new TextDecoder().decode(body);
    let told: { type?: unknown; id?: unknown; timestamp?: string; account?: EventAccount; data?: EventData } | null;
    try {
      told = JSON.parse(text);
    } catch (error) {
      throw new Error(`the body is not a business event: ${(error as Error).message}`);
    }
    if (typeof told?.type !== "string" || !told.account || !told.data) {
      throw new Error("the body has no type, account and data: is this the address of an event endpoint?");
    }
    return {
      type: told.type,
      at: new Date(told.timestamp ?? 0),
      account: told.account,
      data: told.data,
      body: text,
      delivery: {
        id,
        timestamp,
        sequence,
        attempt: Number(header(headers, "webhook-attempt")) || 0,
        forced: header(headers, "webhook-forced") === "true",
        test: told.id === "0",
      },
    };
  }
}

function complain(error: unknown, event: BusinessEvent): void {
  console.error(`tenantry: event ${event.delivery.id} of type ${event.type} was not handled:`, error);
}
