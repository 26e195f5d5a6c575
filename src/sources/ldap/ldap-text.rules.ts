/** A text as the value of a filter: what means something there is written as its code (RFC 4515, 3). */
export const filterValue = (text: string): string =>
  // oxlint-disable-next-line no-control-regex -- NUL is one of them
  text.replaceAll(/[\u0000*()\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)

/** A text as a value in the name of an entry (RFC 4514, 2.4). */
export const dnValue = (text: string): string =>
  text
    .replaceAll(/["+,;<=>\\]/g, (sign) => `\\${sign}`)
    // oxlint-disable-next-line no-control-regex -- control characters are written as their codes
    .replaceAll(/[\u0000-\u001f]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replace(/^[ #]/, (sign) => `\\${sign}`)
    .replace(/ $/, '\\ ')

/** A pattern of the settings with what somebody typed where `%s` is; `%[1]s` is of the same meaning. */
export const filled = (pattern: string, value: string): string => pattern.replaceAll(/%(?:\[1\])?s/g, () => value)

/** The name of an entry as it is compared: letter case and spaces around what separates its parts say nothing. */
export const comparableDn = (dn: string): string => dn.toLowerCase().replaceAll(/\s*([,=+])\s*/g, '$1')
