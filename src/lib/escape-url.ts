/** Every segment of a path escaped, slashes kept: `ü%/a b` becomes `%C3%BC%25/a%20b`. */
export const escapePath = (path: string): string => path.split('/').map(escapeSegment).join('/')

/** One segment, with everything escaped but what RFC 3986 lets stand there; clients compare addresses as texts. */
export const escapeSegment = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, percentEscape)
    .replace(/%(?:24|26|2B|3A|3D|40)/g, (escaped) => decodeURIComponent(escaped))

/** The value of a query parameter, a space as `+`. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, percentEscape)
    .replaceAll('%20', '+')

const percentEscape = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
