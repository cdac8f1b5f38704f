// Requests to the API. What came with the page is used first; later, the browser revalidates by ETag.

import { opened, t } from "./opened.js";

const BAD_REQUEST = "bad_request";

export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export async function ask(path, signal) {
  const inlined = opened.answers[path];
  if (inlined) {
    delete opened.answers[path];
    if (inlined.error) throw problem(inlined.error);
    return inlined;
  }
  const response = await fetch(`/api/v1${path}`, { signal });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  const { code = "error", message = t("the server answered {{status}}", { status: response.status }) } = answer?.error ?? {};
  throw new ApiError(response.status, code, message);
}

const problem = ({ code, message }) => new ApiError(code === BAD_REQUEST ? 400 : 404, code, message);

// The same, or null where there is no such thing.
export async function askIfThere(path, signal) {
  try {
    return await ask(path, signal);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

export const query = (parameters) => {
  const given = Object.entries(parameters).filter(([, value]) => value);
  return given.length ? `?${new URLSearchParams(given)}` : "";
};

export const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

// Whether the same request may succeed later: no connection, too many requests, or a server that restarts.
export const isPassing = (error) => !(error instanceof ApiError) || [429, 503].includes(error.status);

// Repeats a request while the page is visible, less often while the server can't be reached.
export async function keepAsking(every, act, signal) {
  for (let wait = every; ; await pauseWhileOffline(wait, signal)) {
    if (document.hidden) continue;
    try {
      await act();
      tell("");
      wait = every;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      tellAway();
      wait = Math.min(wait * 2, 30000);
    }
  }
}

// Asks until the server can be reached.
export async function askPatiently(path, signal) {
  for (let wait = 1000; ; wait = Math.min(wait * 2, 30000)) {
    try {
      const answer = await ask(path, signal);
      tell("");
      return answer;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      tellAway();
      await pauseWhileOffline(wait, signal);
    }
  }
}

// Waits, but no longer than until the device is online again.
async function pauseWhileOffline(ms, signal) {
  const done = new AbortController();
  const online = new Promise((resolve) => { addEventListener("online", resolve, { signal: done.signal }); });
  await Promise.race([pause(ms, signal), online]).finally(() => done.abort());
}

export const tellAway = () =>
  tell(navigator.onLine ? t("The server can't be reached; trying again …") : t("This device is offline; the page goes on when it is back."));

export function tell(text) {
  const place = document.getElementById("connection");
  if (place.textContent !== text) place.textContent = text;
}
