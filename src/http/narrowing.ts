import { Unsupported } from '../lib/errors.ts'
import { narrowingHeaders } from './narrowing-headers.ts'
import type { Call } from './operation.ts'

/** Names of query parameters that ask for a dry run. */
const dryRunParams = ['dry_run', 'dry-run', 'dryRun']

/** Returns whether a value asks for a dry run. */
const isSwitchedOn = (value: unknown): boolean => !/^(?:|0|false|no|off|none)$/i.test(String(value).trim())

/**
 * Refuses a change that the client limits in a way that the operation does not obey (`obeys`). Other preferences than a dry
 * run may be ignored (RFC 7240, 2).
 * @throws Unsupported
 */
export function refuseNarrowing({ operation, headers, rawQuery }: Call): void {
  // Of a read, these headers ask for less of an answer, also where it leaves a note of the download.
  if (!operation.writes || operation.method === 'GET') return
  for (const name of narrowingHeaders) {
    const value = headers[name]
    if (value === undefined || operation.obeys.includes(name)) continue
    if (name === 'prefer' && !/(?:^|[\s,;])dry[-_]?run\b/i.test(String(value))) continue
    if (name.endsWith('dry-run') && !isSwitchedOn(value)) continue
    throw unsupported(`the header ${name}`, { header: name })
  }
  const param = dryRunParams.find(
    (name) => !(name in operation.query) && rawQuery.has(name) && isSwitchedOn(rawQuery.get(name)),
  )
  if (param !== undefined) throw unsupported(`the parameter ${param}`, { param })
}

const unsupported = (what: string, data: Readonly<Record<string, string>>): Unsupported =>
  new Unsupported(
    `${what} is not supported at this address; the request changed nothing`,
    'condition_unsupported',
    data,
  )
