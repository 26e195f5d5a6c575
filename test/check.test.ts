import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

/** Runs a checking program on a small source tree. Returns its status and output. */
function checkTree(files: Record<string, string>, program: (folder: string) => readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'ingot-check-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const result = spawnSync(process.execPath, program(folder), { encoding: 'utf8' })
    return { status: result.status, output: `${result.stdout}${result.stderr}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const checkImports = (files: Record<string, string>) =>
  checkTree(files, (folder) => ['scripts/imports.mjs', '--source', folder])

const lint = (text: string) =>
  checkTree({ 'src/lib/thing.ts': text }, (folder) => [
    'node_modules/oxlint/bin/oxlint',
    '-c',
    '.oxlintrc.json',
    '--format=unix',
    folder,
  ])

/** A file that exists so that an import resolves. */
const empty = 'export const nothing = 0\n'
const importing = (path: string) => `import { nothing } from '${path}'\nexport const something = nothing\n`

test('imports: the check accepts what the house style allows', () => {
  const { status, output } = checkImports({
    'lib/time.ts': empty,
    'db/database.ts': `import 'better-sqlite3'\n${importing('../lib/time.ts')}`,
    'jobs/queue.ts': importing('../db/database.ts'),
    'users/user.store.ts': importing('../db/database.ts'),
    'auth/viewer.ts': importing('../users/user.store.ts'),
    'issues/issue.schemas.ts': empty,
    'issues/issue.store.ts': importing('../db/database.ts'),
    'issues/issue.service.ts': importing('./issue.store.ts'),
    'issues/issue.present.ts': `import type { nothing } from './issue.schemas.ts'\nexport type N = typeof nothing\n`,
    'issues/issue.routes.ts': importing('./issue.service.ts'),
    'issues/labels/label.store.ts': importing('../issue.store.ts'),
    'issues/timeline/entry.store.ts': importing('../labels/label.store.ts'),
    'issues/removal.store.ts': importing('./timeline/entry.store.ts'),
    'issues/issue.test.ts': importing('../app.ts'),
    'webhooks/deliveries/delivery.service.ts': importing('../../issues/issue.service.ts'),
    'issues/issues.feature.ts': importing('./issue.routes.ts'),
    'app.ts': importing('./issues/issues.feature.ts'),
  })
  assert.equal(output, 'imports: 17 files obey the rules\n')
  assert.equal(status, 0)
})

const violations: { rule: string; files: Record<string, string>; says: RegExp }[] = [
  {
    rule: 'lib imports nothing above it',
    files: { 'db/database.ts': empty, 'lib/time.ts': importing('../db/database.ts') },
    says: /lib\/time\.ts:1: lib may not import db: platform is above lib/,
  },
  {
    rule: 'parts of the platform do not know each other',
    files: { 'git/git.ts': empty, 'markup/markup.ts': importing('../git/git.ts') },
    says: /markup may not import git/,
  },
  {
    rule: 'identity reads stores only',
    files: { 'users/user.service.ts': empty, 'auth/viewer.ts': importing('../users/user.service.ts') },
    says: /auth may not import users: features is above identity/,
  },
  {
    rule: 'an earlier feature does not import a later one',
    files: { 'pulls/pull.store.ts': empty, 'repos/repo.service.ts': importing('../pulls/pull.store.ts') },
    says: /repos may not import pulls: it comes later in the order of features/,
  },
  {
    rule: 'a folder of a feature does not import a later one of the same feature, not even its types',
    files: {
      'issues/timeline/timeline.store.ts': empty,
      'issues/labels/label.store.ts': `import type { nothing } from '../timeline/timeline.store.ts'\nexport type N = typeof nothing\n`,
    },
    says: /issues\/labels may not import issues\/timeline/,
  },
  {
    rule: 'folders on one line do not know each other',
    files: { 'issues/time/time.store.ts': empty, 'issues/labels/label.store.ts': importing('../time/time.store.ts') },
    says: /issues\/labels may not import issues\/time/,
  },
  {
    rule: 'a new folder of a divided feature has its place in the order',
    files: { 'issues/votes/vote.store.ts': empty },
    says: /the folder votes is not among the themes/,
  },
  {
    rule: 'a feature does not import a reactor, not even its types',
    files: {
      'webhooks/hook.store.ts': empty,
      'repos/repo.service.ts': `import type { nothing } from '../webhooks/hook.store.ts'\nexport type N = typeof nothing\n`,
    },
    says: /repos may not import webhooks: reactors is above features/,
  },
  {
    rule: 'services do not speak the words of the API',
    files: {
      'issues/issue.schemas.ts': empty,
      'issues/issue.service.ts': `import type { nothing } from './issue.schemas.ts'\nexport type N = typeof nothing\n`,
    },
    says: /the words of the API stay with routes and presenters/,
  },
  {
    rule: 'only the feature file of their folder imports routes',
    files: { 'users/user.routes.ts': empty, 'web/page.ts': importing('../users/user.routes.ts') },
    says: /only the feature file of their folder imports routes/,
  },
  {
    rule: 'routes do not import stores',
    files: { 'users/user.store.ts': empty, 'users/user.routes.ts': importing('./user.store.ts') },
    says: /a routes file may not import a store file/,
  },
  {
    rule: 'policies are pure',
    files: { 'users/user.store.ts': empty, 'users/user.policy.ts': importing('./user.store.ts') },
    says: /a policy file may not import a store file/,
  },
  {
    rule: 'only git/ starts processes, however it is imported',
    files: { 'repos/repo.service.ts': `export const load = () => import('node:child_process')\n` },
    says: /only git\/ starts processes/,
  },
  {
    rule: 'only db/ imports a driver',
    files: { 'users/user.store.ts': `export { Client } from 'pg'\n` },
    says: /only db\/ imports a driver/,
  },
  {
    rule: 'only http/ answers requests',
    files: { 'web/page.ts': `import { createServer } from 'node:http'\nexport const server = createServer()\n` },
    says: /only http\/ answers requests/,
  },
  {
    rule: 'no cycles',
    files: {
      'lib/a.ts': `import { b } from './b.ts'\nexport const a = () => b\n`,
      'lib/b.ts': `import { a } from './a.ts'\nexport const b = () => a\n`,
    },
    says: /cycle: lib\/a\.ts → lib\/b\.ts → lib\/a\.ts/,
  },
  {
    rule: 'no cycles of types',
    files: {
      'lib/a.ts': `import type { B } from './b.ts'\nexport interface A {\n  readonly b: B\n}\n`,
      'lib/b.ts': `import type { A } from './a.ts'\nexport interface B {\n  readonly a: A\n}\n`,
    },
    says: /cycle: lib\/a\.ts → lib\/b\.ts → lib\/a\.ts/,
  },
  {
    rule: 'what an idle server does without is loaded when it is needed',
    files: {
      'app.ts': importing('./outgoing/outgoing.ts'),
      'outgoing/outgoing.ts': `import 'undici'\n${empty}`,
      'outgoing/lazy.ts': `export const load = () => import('undici')\n`,
    },
    says: /outgoing\/outgoing\.ts:1: undici is loaded at every start by this import/,
  },
  {
    rule: 'every file belongs to a layer',
    files: { 'elsewhere/thing.ts': empty },
    says: /belongs to no layer/,
  },
]

for (const { rule, files, says } of violations) {
  test(`imports: ${rule}`, () => {
    const { status, output } = checkImports(files)
    assert.match(output, says)
    assert.match(output, /imports: 1 problems/)
    assert.equal(status, 1)
  })
}

const refusedCode: Record<string, string> = {
  'no-explicit-any': 'export const parse = (value: any): unknown => value\n',
  'no-default-export': 'export default 1\n',
  'no-process-env': 'export const home = process.env.HOME\n',
  'no-console': `export const say = () => console.log('x')\n`,
  'consistent-type-imports': `import { Buffer } from 'node:buffer'\nexport type Bytes = Buffer\n`,
}

for (const [rule, text] of Object.entries(refusedCode)) {
  test(`lint: ${rule}`, () => {
    const { status, output } = lint(text)
    assert.match(output, new RegExp(`\\(${rule}\\)`))
    assert.equal(status, 1)
  })
}
