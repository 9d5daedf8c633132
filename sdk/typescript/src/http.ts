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
  const controller = new AbortController();
  const stop = () => controller.abort();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop();
  }, timeout);
  signal?.addEventListener("abort", stop, { once: true });
  try {
    signal?.throwIfAborted();
    const response = await fetcher(url, { method: "POST", headers, body, redirect: "manual", signal: controller.signal });
    return { status: response.status, headers: response.headers, body: await response.text() };
  } catch (error) {
    signal?.throwIfAborted(); // then that was it
    throw new ConnectionError(late ? `no answer within ${timeout / 1000} s` : explain(error), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
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
