import type { IncomingHttpHeaders } from 'node:http'

/** Longer headers keep their spaces: the pattern takes quadratic time on runs of spaces. In characters. */
const maxLength = 512

/**
 * A media type with its parameters, without spaces beside its separators: `application / json ; charset = utf-8` becomes
 * `application/json;charset=utf-8`. Clients of the family send such spaces, which the reference takes. Quoted values stay.
 */
export const tidyMediaType = (text: string): string =>
  text.length > maxLength
    ? text
    : text
        .trim()
        .replace(/"(?:[^"\\]|\\.)*"|[ \t]*([/;=])[ \t]*/g, (found: string, separator?: string) => separator ?? found)

/** Returns the media type of a request's body as `tidyMediaType` writes it; empty without one. */
export const contentTypeOf = ({ headers }: { readonly headers: IncomingHttpHeaders }): string =>
  tidyMediaType(headers['content-type'] ?? '')
