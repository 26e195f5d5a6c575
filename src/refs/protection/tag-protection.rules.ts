/** The expression of a pattern between slashes, undefined for globs. */
export const expressionOf = (pattern: string): string | undefined => /^\/(.+)\/$/s.exec(pattern)?.[1]
