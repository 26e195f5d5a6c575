#!/usr/bin/env node
/**
 * Prints every operation that the program declares, beside the contract's list.
 *
 *     npm run --silent api:table [-- [AREA|ID…] [--missing] [--json]]
 *
 * Each line shows id, method, path, scope, requirements in order, and reply statuses. `--missing` prints the operations
 * of the contract that the program does not declare. `≠` marks a difference from the contract, explained below the line.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BundleError, bundle, ownBuildFolder } from './lib/bundle.mjs'
import { ensureReady, fail, fromRoot, readJson } from './lib/project.mjs'

await ensureReady()
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { missing: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
})
if (!existsSync(fromRoot('src/app.ts'))) fail('src/app.ts does not exist yet: there are no operations to list')
const folder = ownBuildFolder('table')
try {
  await bundle({ app: 'src/app.ts' }, folder)
} catch (error) {
  if (error instanceof BundleError) fail(error.message)
  throw error
}
const { allOperations } = await import(join(folder, 'app.js'))

const contract = new Map(readJson('test/contract/operations.json').map((operation) => [operation.id, operation]))
const declared = allOperations()
const areaOf = (id) => contract.get(id)?.area ?? 'beside the contract'
const isWanted = (id) => wanted.length === 0 || wanted.some((word) => word === areaOf(id) || word === id)

/** The contract and the program name path parameters differently; only their positions count. */
const placesOf = (path) => path.replaceAll(/\{[^}]*\}|\*$/g, '{}')

/** The requirement codes that the contract defines. Other codes are names of checks. */
const standardCodes = new Set(['T', 'SA', 'RO', 'RA', 'RR', 'RW', 'AR', 'NA', 'WH', 'OO', 'OM', 'TM'])
/** Without codes that an earlier position already contains. */
const standardOf = (codes) => [...new Set(codes.filter((code) => standardCodes.has(code.split('(')[0])))]
/** Scopes that a requirement checks later than the scope of the declaration. */
const scopesOf = (operation) => {
  const later = codesOf(operation).filter((code) => code.startsWith('scope:'))
  return [...operation.scope, ...later.flatMap((code) => code.slice('scope:'.length).split('+'))].sort()
}
const codesOf = (operation) => operation.requires.flatMap((requirement) => requirement.codes)

function differences(operation) {
  const known = contract.get(operation.id)
  if (known === undefined) return []
  const found = []
  if (operation.method !== known.method) found.push(`the contract's method is ${known.method}`)
  if (placesOf(operation.path) !== placesOf(known.path)) found.push(`the contract's path is ${known.path}`)
  const [have, want] = [standardOf(codesOf(operation)).join(' '), standardOf(known.requires).join(' ')]
  if (have !== want) found.push(`the contract requires ${want || 'nothing'}`)
  const scopes = [...known.scope].sort().join('+')
  if (scopesOf(operation).join('+') !== scopes) found.push(`the contract's scope is ${scopes || 'none'}`)
  return found
}

const rows = declared.map((operation) => ({
  id: operation.id,
  area: areaOf(operation.id),
  method: operation.method,
  path: operation.path,
  base: operation.base,
  scope: operation.scope,
  requires: codesOf(operation),
  replies: Object.keys(operation.reply).map(Number),
  differs: differences(operation),
}))
const declaredIds = new Set(rows.map((row) => row.id))
const missing = [...contract.values()].filter((operation) => !declaredIds.has(operation.id))

if (options.json) {
  const table = { declared: rows, missing: missing.map(({ id, area }) => ({ id, area })) }
  // A pipe accepts a part at a time: exiting before it is drained would lose the rest.
  await new Promise((written) => process.stdout.write(`${JSON.stringify(table, null, 1)}\n`, written))
  process.exit(0)
}
if (options.missing) {
  for (const operation of missing.filter(({ id }) => isWanted(id))) {
    console.log(
      `${operation.area.padEnd(14)} ${operation.id.padEnd(44)} ${operation.method.padEnd(6)} ${operation.path}`,
    )
  }
} else {
  for (const row of rows.filter(({ id }) => isWanted(id)).sort((a, b) => a.area.localeCompare(b.area))) {
    const scope = row.scope.length === 0 ? '-' : row.scope.join('+')
    const checks = row.requires.join(' ') || 'anyone'
    const mark = row.differs.length === 0 ? ' ' : '≠'
    console.log(
      `${mark} ${row.id.padEnd(44)} ${row.method.padEnd(6)} ${row.path}  [${scope}] ${checks} → ${row.replies.join(' ')}`,
    )
    for (const difference of row.differs) console.log(`      ${difference}`)
  }
}

const areas = [...new Set([...contract.values()].map(({ area }) => area))].sort()
console.log('')
for (const area of areas) {
  const all = [...contract.values()].filter((operation) => operation.area === area)
  const have = all.filter(({ id }) => declaredIds.has(id)).length
  console.log(`  ${area.padEnd(16)} ${String(have).padStart(4)} / ${all.length}`)
}
const beside = rows.filter((row) => !contract.has(row.id)).length
const differing = rows.filter((row) => row.differs.length > 0).length
console.log(
  `${contract.size - missing.length} declared, ${missing.length} missing, ${contract.size} in the contract; ` +
    `${beside} beside it; ${differing} differ from it`,
)
