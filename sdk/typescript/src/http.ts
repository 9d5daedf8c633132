import { ConnectionError, HTTPError } from "./errors.js";
import { retryAfter } from "./retry.js";

/** An HTTP answer that was read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

const maxErrorBody = 4096;

export function failure(answer: Answer): HTTPError {
  return new HTTPError(answer.status, answer.body.slice(0, maxErrorBody), retryAfter(answer.headers.get("retry-after")));
}

/**
 * Posts a body and reads the whole answer. It fails with a ConnectionError if none came in time, and with the
 * signal's reason if that was it. Redirects are not followed: tokens go nowhere that nobody configured.
 */
export async function post(
  fetcher: typeof fetch,
  url: string,
  headers: Record<string, string>,
  body: string,
  timeout: number,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const late = AbortSignal.timeout(timeout);
  try {
    const response = await fetcher(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (error) {
    if (signal?.aborted) {
      throw signal.reason;
    }
    const reason = late.aborted ? `no answer within ${timeout / 1000} s` : explain(error);
    throw new ConnectionError(reason, { cause: error });
  }
}

/** "fetch failed" alone helps nobody: its cause says what happened. */
function explain(error: unknown): string {
  const texts: string[] = [];
  for (let e = error; e instanceof Error; e = e.cause) {
    texts.push(e.message || ("code" in e ? String(e.code) : e.name));
  }
  return texts.join(": ");
}
