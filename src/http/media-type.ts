/**
 * A media type with its parameters, without spaces beside its separators: `application / json ; charset = utf-8` becomes
 * `application/json;charset=utf-8`. Clients of the family send such spaces, which the reference takes. Quoted values stay.
 */
export const tidyMediaType = (text: string): string =>
  text
    .trim()
    .replace(/"(?:[^"\\]|\\.)*"|[ \t]*([/;=])[ \t]*/g, (found: string, separator?: string) => separator ?? found)
