/** How an attempt ended. */
export type AttemptEnd =
  /** The receiver has it. */
  | 'delivered'
  /** The receiver does not want this one, but is there. */
  | 'refused'
  /** The receiver is not there, or not well: others would fare alike. */
  | 'down'
  /** The receiver is gone for good, and says so. */
  | 'gone'

/** What an answer's status means. Without an answer the receiver is `down`. */
export function endOf(status: number | undefined): AttemptEnd {
  if (status === undefined) return 'down'
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 410) return 'gone'
  // Waiting helps against these: too slow, too early, too much.
  if (status === 408 || status === 425 || status === 429) return 'down'
  return status >= 400 && status < 500 ? 'refused' : 'down'
}

/** How long a delivery is tried, from its event or from when somebody asked for it again. */
export const giveUpAfterMs = 24 * 3_600_000

/** So many failures in a row make a pause, which ends with the first try that succeeds. */
export const pauseAfterFailures = 5

/**
 * So often a delivery is the first in its line while the receiver fails; then another may show that the receiver is well and
 * only this one is not.
 */
export const firstInLineFailures = 8

const firstRetryMs = 8000
const retryGrowth = 4
const longestRetryMs = 3_600_000

/**
 * The wait after so many failures: 8 s, half a minute, two minutes, nine, half an hour, then an hour each time, a quarter shorter or
 * longer, so that what failed together spreads out.
 * @param spread from 0 to 1, by chance
 */
export const retryDelayMs = (failures: number, spread: number): number =>
  Math.round(Math.min(firstRetryMs * retryGrowth ** (failures - 1), longestRetryMs) * (0.75 + spread / 2))

const masked = '***'

/** Members of queries and headers whose values are nobody's business. */
export const isSecretName = (name: string): boolean =>
  /token|secret|passw|signature|sign$|api[-_]?key|^key$|auth|cookie|credential/i.test(name)

/** Headers by which receivers check that it was us: they say nothing of the secret. */
const isOwnSignature = (name: string): boolean => /^x-(?:[a-z]+-signature|hub-signature(?:-256)?)$/i.test(name)

/** Headers as they are kept: what proves who somebody is is masked, and there are not too many. */
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

/** Most of the headers of one message that is kept, in characters. */
const maxHeadersLength = 8192

/** An address as it is kept: without a user's name, and without values that look like secrets. */
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

/** A text of the receiver without the secrets that it may have sent back, and without what a database cannot hold. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((rest, secret) => rest.replaceAll(secret, masked), text)
    .replaceAll('\0', '\uFFFD')

/** Shorter secrets stand in any text by chance; masking them would only say what they are. */
const minSecretLength = 4
