/** Escapes each segment of a path: `ü%/a b` becomes `%C3%BC%25/a%20b`. */
export const escapePath = (path: string): string => path.split('/').map(escapeSegment).join('/')

/** Escapes a path segment. RFC 3986's allowed characters stay, since clients compare URLs as text. */
export const escapeSegment = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, percentEscape)
    .replace(/%(?:24|26|2B|3A|3D|40)/g, (escaped) => decodeURIComponent(escaped))

/** Escapes the value of a query parameter; a space becomes `+`. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, percentEscape)
    .replaceAll('%20', '+')

/** Escapes a value of a header's parameter, as `filename*` has it; `$`, `&` and `+` stay (RFC 8187). */
export const escapeParameter = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/['()*]/g, percentEscape)
    .replace(/%(?:24|26|2B)/g, (escaped) => decodeURIComponent(escaped))

const percentEscape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
