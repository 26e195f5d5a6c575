/** Most errors of a chain that are looked at: causes may form a circle. */
const most = 10

/** Returns what was thrown and its causes, the outermost first. What an `AggregateError` joins follows it. */
export function causesOf(thrown: unknown): unknown[] {
  const chain: unknown[] = []
  for (let each = thrown; each !== undefined && each !== null && chain.length < most;) {
    chain.push(each)
    if (Error.isError(each) && 'errors' in each && Array.isArray(each.errors)) chain.push(...each.errors.slice(0, most))
    each = Error.isError(each) ? each.cause : undefined
  }
  return chain
}
