/**
 * Yields all rows of `list` in batches, each after the last id of the previous one. Rows that are inserted or deleted
 * meanwhile neither repeat a row nor prevent the end.
 */
export async function* inBatches<Id, Row extends { readonly id: Id }>(
  list: (after: Id | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let after: Id | undefined; ;) {
    const rows = await list(after)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.id
  }
}
