/**
 * All rows that `list` gives, some at a time: it is asked for those after the id of the last one, until none are left.
 * What is removed or added on the way neither repeats a row nor keeps it from ending.
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
