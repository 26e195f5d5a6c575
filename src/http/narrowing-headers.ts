/**
 * Request headers that limit a change: to a state of the resource (RFC 9110, 13.1), to one execution, to a part of the
 * content, or to no effect at all. `Prefer` limits it when it asks for a dry run. A server that ignores one of them changes
 * more than the client allows.
 */
export const narrowingHeaders = [
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'idempotency-key',
  'content-range',
  'dry-run',
  'x-dry-run',
  'prefer',
] as const

export type NarrowingHeader = (typeof narrowingHeaders)[number]
