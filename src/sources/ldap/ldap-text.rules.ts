/** Escapes a value for a filter (RFC 4515, 3). */
export const filterValue = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- NUL is one of them
  text.replaceAll(/[\u0000*()\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** Escapes a value for a DN (RFC 4514, 2.4). */
export const dnValue = (text: string): string =>
  text
    .replaceAll(/["+,;<=>\\]/g, (sign) => `\\${sign}`)
    // oxlint-disable-next-line no-control-regex -- control characters are written as their codes
    .replaceAll(/[\u0000-\u001f]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/^[ #]/, (sign) => `\\${sign}`)
    .replace(/ $/, '\\ ')

/** Replaces `%s` (or `%[1]s`) in a pattern by the typed name. */
export const filled = (pattern: string, value: string): string => pattern.replaceAll(/%(?:\[1\])?s/g, () => value)

/** Returns a DN in normalized form: lower case, without spaces around separators. */
export const comparableDn = (dn: string): string => dn.toLowerCase().replaceAll(/\s*([,=+])\s*/g, '$1')
