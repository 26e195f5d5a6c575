import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

/** A recorded step that is meant to differ; `where` is the first cell of its row in `docs/differences.md`. */
interface DeclaredStep {
  readonly scenario: string
  readonly label: string
  readonly where: string
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
const declared = readJson('conformance-differences.json') as readonly DeclaredStep[]

/** The first cells of the table of differences, which ends where the next heading begins. */
const rows = (readFileSync('docs/differences.md', 'utf8').split('\n## ')[0] as string)
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => (line.split(' | ')[0] as string).slice(2))
  .slice(1)

/**
 * Rows that no recorded exchange shows. Whoever adds a row looks whether a step differs because of it, and writes the step
 * into `conformance-differences.json` or the row's first cell here.
 */
const notRecorded = new Set([
  '`GET /nodeinfo`, `software`',
  'commits, `stats`',
  '`PUT …/contents/*` of a path that is not there, `DELETE …/branches/*` of an unknown branch, and other 500s of git data',
  '`POST …/tags` with a message, the tagger',
  '`POST /repos/migrate` that fails, with a `mirror_interval` that is none, or with `lfs` or issues and the like of another service',
  'renaming an actions variable onto another',
  '`POST` and `DELETE …/avatar`, `PUT` and `DELETE …/topics/{topic}`, anonymously on a public repository',
  '`POST /markup`, mode `file` without `FilePath`',
  '`mergeable` right after a push',
  'the eleventh wrong password within ten minutes, of one name from one address',
  'a file over `[attachment].MAX_SIZE`, attached through the API',
  '`[quota.default].TOTAL`, for who is in no group',
  'quota groups that say nothing about the subject that is asked about',
])

test('each step that is meant to differ is recorded, and has its row in docs/differences.md', () => {
  for (const { scenario, label, where } of declared) {
    const steps = readJson(`conformance/expected/${scenario}.json`) as readonly { readonly label: string }[]
    assert.ok(
      steps.some((step) => step.label === label),
      `${scenario} has a step "${label}"`,
    )
    assert.ok(rows.includes(where), `docs/differences.md has a row that begins "${where}" (${scenario}: ${label})`)
  }
})

test('each row of docs/differences.md names recorded steps, unless no exchange shows it', () => {
  const named = new Set(declared.map(({ where }) => where))
  assert.equal(new Set(rows).size, rows.length, 'no row is there twice')
  assert.deepEqual(
    rows.filter((row) => named.has(row) === notRecorded.has(row)),
    [],
    'these rows have their steps in conformance-differences.json, or else their place in the list of this test',
  )
  assert.deepEqual(
    [...notRecorded].filter((row) => !rows.includes(row)),
    [],
    'the list of this test holds rows that are there',
  )
})
