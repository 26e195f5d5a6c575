/** The regular expression of a pattern between slashes; undefined for a glob. */
export const expressionOf = (pattern: string): string | undefined => /^\/(.+)\/$/s.exec(pattern)?.[1]
