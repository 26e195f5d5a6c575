import type { Base, Call } from './operation.ts'
import { parsePath, splitPath } from './path.ts'

/** Number of segments before the path of an operation, by base. */
const segmentsBefore: Readonly<Record<Base, number>> = { api: 2, vendor: 3, site: 0 }

/**
 * The address of the same request with other values for segments of its path, escaped; the query stays as it is.
 * @param values by the names that the operation's path gives the segments
 */
export function movedUrl(
  { url, operation, params }: Pick<Call, 'url' | 'operation'> & { readonly params: Readonly<Record<string, unknown>> },
  values: Readonly<Record<string, string>>,
): string {
  const [path = '', ...query] = url.split('?')
  const sent = path.split('/')
  const before = segmentsBefore[operation.base] + 1
  const declared = parsePath(operation.path, operation.params)
  const texts = splitPath(operation.path)
  const several = declared.findIndex(({ kind }) => kind === 'rest')
  const length = splitPath(path).length
  for (const [index, segment] of declared.entries()) {
    const names = segment.kind === 'param' || segment.kind === 'pattern' ? segment.names : []
    if (!names.some((name) => name in values)) continue
    // Segments after a parameter of several segments are counted from the end.
    const at = several < 0 || index < several ? before + index : length + 1 - (declared.length - index)
    // Text around a parameter stays, as in `{username}.keys`.
    sent[at] = (texts[index] ?? '').replace(/\{([\w-]+)\}/g, (_, name: string) =>
      encodeURIComponent(values[name] ?? String(params[name])),
    )
  }
  return [sent.join('/'), ...query].join('?')
}
