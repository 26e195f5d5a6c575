import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** A recorded step that differs on purpose; `where` is the first cell of its row in `docs/differences.md`. */
interface DeclaredStep {
  readonly scenario: string
  readonly label: string
  readonly where: string
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
const declared = readJson('test/conformance/differences.json') as readonly DeclaredStep[]

/** The first cells of the table of differences, which ends at the next heading. */
const rows = (readFileSync('docs/differences.md', 'utf8').split('\n## ')[0] as string)
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => (line.split(' | ')[0] as string).slice(2))
  .slice(1)

test('each step that differs on purpose is recorded and has a row in docs/differences.md', () => {
  for (const { scenario, label, where } of declared) {
    const steps = readJson(`test/conformance/expected/${scenario}.json`) as readonly { readonly label: string }[]
    assert.ok(
      steps.some((step) => step.label === label),
      `${scenario} has a step "${label}"`,
    )
    assert.ok(rows.includes(where), `docs/differences.md has a row that begins "${where}" (${scenario}: ${label})`)
  }
})

test('docs/differences.md has no row twice', () => {
  assert.deepEqual(rows.toSorted(), [...new Set(rows)].toSorted())
})
