/** The result of one attempt. */
export type AttemptResult =
  /** The receiver accepted the delivery. */
  | 'delivered'
  /** The receiver works and refuses this delivery. */
  | 'refused'
  /** The receiver cannot be reached or fails; other deliveries would fail too. */
  | 'down'
  /** The receiver says that it is gone for good. */
  | 'gone'

/** Returns the result for the status of an answer; without an answer the receiver is `down`. */
export function resultOf(status: number | undefined): AttemptResult {
  if (status === undefined) return 'down'
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  // Timeout, too early, too many requests: a later attempt may succeed.
  if (status === 408 || status === 425 || status === 429) return 'down'
  return status >= 400 && status < 500 ? 'refused' : 'down'
}

/** How long a delivery is retried, counted from its event or from its redelivery. */
export const giveUpAfterMs = 24 * 3_600_000

/** Consecutive failures after which the API shows a webhook as paused; the next success ends the pause. */
export const failuresBeforePause = 5

/** Attempts for which a failing delivery blocks the later ones; then the next delivery is tried before it. */
export const blockingFailures = 8

const firstRetryMs = 8000
const retryGrowth = 4
const maxRetryMs = 3_600_000

/**
 * Returns the back-off after a number of failures: 8 s, 32 s, 2 min, 9 min, 34 min, then 1 h, each with a jitter of 25 %.
 * @param jitter a random number from 0 to 1
 */
export const retryDelayMs = (failures: number, jitter: number): number =>
  Math.round(Math.min(firstRetryMs * retryGrowth ** (failures - 1), maxRetryMs) * (0.75 + jitter / 2))

const masked = '***'

/** Returns whether a query parameter or header of this name holds a secret. */
export const isSecretName = (name: string): boolean =>
  /token|secret|passw|signature|sign$|api[-_]?key|^key$|auth|cookie|credential/i.test(name)

/** Signature headers of our own requests: they do not reveal the secret. */
const isOwnSignature = (name: string): boolean => /^x-(?:[a-z]+-signature|hub-signature(?:-256)?)$/i.test(name)

/** Returns headers as an attempt records them: credentials are masked, and the total length is bounded. */
export function maskedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  let length = 0
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = typeof value === 'string' ? value : value.join(', ')
    const shown = isSecretName(name) && !isOwnSignature(name) && text !== '' ? masked : text
    length += name.length + shown.length
    if (length > maxHeadersLength) break
    kept[name] = shown
  }
  return kept
}

/** Longest headers of one message that are recorded, in characters. */
const maxHeadersLength = 8192

/** Returns an address as an attempt records it: user name, password and secret query values are masked. */
export function maskedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  if (url.username !== '' || url.password !== '') {
    url.username = masked
    url.password = ''
  }
  for (const name of new Set(url.searchParams.keys())) {
    if (isSecretName(name)) url.searchParams.set(name, masked)
  }
  return url.href
}

/** Returns a text of the receiver with secrets masked and NUL characters replaced, which PostgreSQL cannot store. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((rest, secret) => rest.replaceAll(secret, masked), text)
    .replaceAll('\0', '\uFFFD')

/** Shorter secrets occur in any text by chance; masking them would reveal them. */
const minSecretLength = 4
