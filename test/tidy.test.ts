import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { allOperations } from '../src/app.ts'

/** The parts of a contract operation that this test reads. */
interface ContractOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly requires: readonly string[]
  readonly scope: readonly string[]
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
const contract = new Map((readJson('test/contract/operations.json') as ContractOperation[]).map((one) => [one.id, one]))
const operations = allOperations()

/** Paths below folders, relative to the project. */
const filesBelow = (...folders: readonly string[]): string[] =>
  folders.flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path.toString()}`))

const isCode = (path: string): boolean => /\.(?:tsx?|mjs|cjs)$/.test(path)
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)
/** Copies that `npm run contract:sync` makes. */
const isCopy = (path: string): boolean => /^(?:test\/(?:conformance|clients)|scripts\/bench\/kit)\//.test(path)
const code = filesBelow('src', 'test', 'scripts').filter((path) => isCode(path) && !isCopy(path))
const ownPath = 'test/tidy.test.ts'

/** Lines of files that match, as `path:line: text`. */
const linesWith = (paths: readonly string[], pattern: RegExp): string[] =>
  paths.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )

/** The contract and the program name path parameters differently; only their positions count. */
const parameterless = (path: string): string => path.replaceAll(/\{[^}]*\}|\*$/g, '{}')

/** The requirement codes that the contract defines. Other codes are names of checks. */
const standardCodes = new Set(['T', 'SA', 'RO', 'RA', 'RR', 'RW', 'AR', 'NA', 'WH', 'OO', 'OM', 'TM'])
/** Without codes that an earlier position already contains. */
const standardOf = (codes: readonly string[]): string[] => [
  ...new Set(codes.filter((one) => standardCodes.has(one.split('(')[0] ?? ''))),
]

const signsInFirst = 'signing in is asked for before the right (written contract: T, RA)'

/** Operations whose required codes differ from the contract's table; each has a line in docs/differences.md. */
const otherwiseRequired = new Map<string, string>([
  ['repoApplyDiffPatch', 'signing in comes first: guests are answered 401 (contents.md, last section)'],
  ['repoSyncForkDefault', 'signing in is asked for, which the reference forgets (git.md, last section)'],
  ['repoSyncForkBranch', 'signing in is asked for, which the reference forgets (git.md, last section)'],
  ['repoAddTopic', signsInFirst],
  ['repoDeleteTopic', signsInFirst],
  ['repoListPushMirrors', signsInFirst],
  ['repoAddPushMirror', signsInFirst],
  ['repoGetPushMirrorByRemoteName', signsInFirst],
  ['repoDeletePushMirror', signsInFirst],
  ['repoPushMirrorSync', signsInFirst],
  ['repoUpdateAvatar', signsInFirst],
  ['repoDeleteAvatar', signsInFirst],
])

/** Operations whose row in the contract names one category while the reference also requires that of the group. */
const otherwiseScoped = new Map<string, string>([
  // Either would do by the list of operations; what belongs to an account needs its scope.
  ['orgListUserOrgs', 'user'],
  ['orgGetUserPermissions', 'user'],
  ...[
    'createCurrentUserRepo',
    'userCurrentListRepos',
    'userListRepos',
    'userCurrentListStarred',
    'userCurrentCheckStarring',
    'userCurrentPutStar',
    'userCurrentDeleteStar',
  ].map((id) => [id, 'repository'] as const),
])

test('each operation is declared once', () => {
  const ids = operations.map(({ id }) => id)
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  )
  const routes = operations.map(
    ({ method, base, path, whenQuery }) => `${method} ${base} ${parameterless(path)}${JSON.stringify(whenQuery ?? {})}`,
  )
  assert.deepEqual(
    routes.filter((route, index) => routes.indexOf(route) !== index),
    [],
  )
})

test('an operation of the contract has its method, path, scope and required codes', () => {
  const found = operations.flatMap((operation) => {
    const known = contract.get(operation.id)
    if (known === undefined) return []
    const codes = operation.requires.flatMap((requirement) => requirement.codes)
    // A requirement may check some scopes later than the declaration.
    const laterScopes = codes.filter((one) => one.startsWith('scope:')).flatMap((one) => one.slice(6).split('+'))
    const declared = {
      route: `${operation.method} ${parameterless(operation.path)}`,
      requires: standardOf(codes).join(' '),
      scope: [...operation.scope, ...laterScopes].toSorted().join('+'),
    }
    const wanted = {
      route: `${known.method} ${parameterless(known.path)}`,
      requires: standardOf(known.requires).join(' '),
      scope: otherwiseScoped.get(operation.id) ?? known.scope.toSorted().join('+'),
    }
    return Object.entries(wanted).flatMap(([key, value]) => {
      const have = declared[key as keyof typeof declared]
      if (key === 'requires' && otherwiseRequired.has(operation.id)) {
        return have === value
          ? [`${operation.id}: requires what the contract says, and is listed as if it did not`]
          : []
      }
      return have === value ? [] : [`${operation.id}: ${key} is "${have}", the contract says "${value}"`]
    })
  })
  assert.deepEqual(found, [])
})

test('each declared operation is named in a test', () => {
  const tests = code
    .filter(isTest)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n')
  const words = new Set(tests.match(/\w+/g))
  assert.deepEqual(
    operations.map(({ id }) => id).filter((id) => !words.has(id)),
    [],
  )
})

const banned: { what: string; pattern: RegExp; where?: (path: string) => boolean }[] = [
  { what: 'notes to do something later', pattern: /(?:\/\/|^\s*(?:\/?\*+|#|<!--))\s*(?:TODO|FIXME|XXX|HACK)\b/ },
  { what: 'paths of one machine', pattern: /(?<![\w.$}])\/(?:work|root|home\/[a-z]+|Users\/[A-Za-z]+)\// },
  { what: 'enums', pattern: /^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w+/ },
  {
    what: 'namespaces',
    pattern: /^\s*(?:export\s+)?(?:declare\s+)?namespace\s+\w+/,
    // Preact looks for custom elements in a namespace.
    where: (path) => path !== 'src/web/ui/elements.d.ts',
  },
  {
    what: 'tests that keep others from running',
    pattern: /\b(?:test|it|describe|suite)\.only\(|\bonly:\s*true\b/,
    where: isTest,
  },
  { what: 'context handed over twice', pattern: /\bctx, ctx\b(?!\.)/ },
  {
    what: 'keys of requests in what services are told',
    pattern: /^\s+readonly [a-z]+(?:_[a-z]+)+\?:/,
    where: (path) => path.endsWith('.service.ts'),
  },
  { what: 'code made from texts', pattern: /\beval\(|\bnew Function\(/ },
  {
    what: 'calls that block the server while a process runs',
    pattern: /\b(?:exec|spawn|execFile)Sync\(/,
    where: (path) => path.startsWith('src/') && !isTest(path) && !path.endsWith('.test-support.ts'),
  },
  {
    what: 'ends of the process outside its programs',
    pattern: /\bprocess\.exit\(/,
    where: (path) => /^src\/(?!cli\/|main\.ts|git\/broker\/main\.ts|images\/worker\.ts)/.test(path) && !isTest(path),
  },
  {
    what: 'clocks besides the one that tests can set',
    pattern: /\bDate\.now\(\)|\bnew Date\(\)/,
    // Browsers have a clock of their own.
    where: (path) =>
      /^src\/(?!lib|config|db|git|storage|jobs|events|markup|http|secrets|outgoing|images|testing|web\/browser\/)/.test(
        path,
      ) && !isTest(path),
  },
  {
    what: 'patterns that take quadratic time to trim the end of a text (`trimTrailing` and `trimBoth` do not)',
    pattern: /\.replace(?:All)?\(\/(?:(?:[^/]|\\\/)*\|)?(?:\[[^\]]*\]|\\.|[^\\/[\]])[+*]\$\/[a-z]*,/,
    where: (path) => path.startsWith('src/') && !isTest(path),
  },
  {
    what: 'patterns that cross lines from the start of each, which takes quadratic time on empty lines (`[ \\t]*` does not)',
    pattern: /\/\^\\s[*+].*\/[a-z]*m[a-z]*(?![\w/])/,
    where: (path) => path.startsWith('src/') && !isTest(path),
  },
  {
    what: 'patterns that repeat an optional set before a repeated one, which takes exponential time',
    pattern: /\((?:\?:)?\[[^\]]+\]\?\[[^\]]+\][+*]\)[+*]/,
    where: (path) => path.startsWith('src/') && !isTest(path),
  },
  {
    what: 'random numbers that can be guessed, where tokens are made',
    pattern: /\bMath\.random\(/,
    where: (path) => /^src\/(?:auth|access|secrets|users|transport)\//.test(path) && !isTest(path),
  },
]

for (const { what, pattern, where = () => true } of banned) {
  test(`the code has no ${what}`, () => {
    const paths = code.filter((path) => path !== ownPath && where(path))
    assert.deepEqual(linesWith(paths, pattern), [])
  })
}

test('a policy only decides whether a viewer may do something', () => {
  const policies = code.filter((path) => path.endsWith('.policy.ts'))
  assert.ok(policies.length > 0)
  const wrong = policies.flatMap((path) => {
    const text = readFileSync(path, 'utf8')
    const values = [...text.matchAll(/^export (?!type |interface )(.*?)(?: =>| \{$)/gms)].map(([, head = '']) => head)
    return values
      .filter((head) => !/^(?:const|function) may[A-Z]\w*\b/.test(head) || !/\): Verdict\s*$/.test(head))
      .map((head) => `${path}: ${head.split('\n')[0]}`)
  })
  assert.deepEqual(wrong, [])
})

test('the code of each refusal of a policy is in snake_case', () => {
  const codes = code
    .filter((path) => path.startsWith('src/') && !isTest(path))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8')
      return [...text.matchAll(/\bdeny\(\s*([^,()]*),/g)].map(([, first = '']) => `${path}: ${first.trim()}`)
    })
  assert.ok(codes.length > 60, `${codes.length} refusals`)
  const helpers = ['src/refs/protection/branch-protection.policy.ts: code']
  assert.deepEqual(
    codes.filter((line) => !helpers.includes(line) && !/: '[a-z]+(?:_[a-z]+)*'$/.test(line)),
    [],
  )
})

test('code recognizes errors by Error.isError, because errors of Node have another class in the sandbox of a test runner', () => {
  const own = filesBelow('src').filter((path) => isCode(path) && !isTest(path))
  assert.deepEqual(linesWith(own, /instanceof (?:Error|TypeError|RangeError|SyntaxError|AggregateError|Promise)\b/), [])
})

test('tables of words have no inherited members, which people could name', () => {
  const own = filesBelow('src').filter((path) => isCode(path) && !isTest(path) && !path.startsWith('src/testing/'))
  assert.deepEqual(linesWith(own, /^(?:export )?const \w+: (?:Readonly<)?Record<string, .*> = \{/), [])
})

test('subscribers have separate files', () => {
  const others = code.filter(
    (path) => /^src\/(?!events\/)/.test(path) && !isTest(path) && !path.endsWith('.subscribers.ts'),
  )
  assert.deepEqual(linesWith(others, /\bsubscriber\(\{/), [])
})

test('docs/dependencies.md has one line for each dependency', () => {
  const { dependencies, devDependencies } = readJson('package.json') as Record<string, Record<string, string>>
  const listed = [...readFileSync('docs/dependencies.md', 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(
    (match) => match[1] ?? '',
  )
  assert.deepEqual(listed.toSorted(), Object.keys({ ...dependencies, ...devDependencies }).toSorted())
})

test('each difference from the recorded exchanges has a reason', () => {
  const differences = readJson('test/conformance/differences.json') as {
    scenario?: string
    label?: string
    why?: string
  }[]
  assert.deepEqual(
    differences.filter(({ scenario, label, why }) => !scenario || !label || (why ?? '').length <= 10),
    [],
  )
})

test('each rule that a comment or document names by a code is in docs/rules.md', () => {
  const rules = readFileSync('docs/rules.md', 'utf8')
  const listed = new Set([...rules.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, name]) => name))
  const documents = filesBelow('docs').filter((path) => path.endsWith('.md'))
  const cited = [...code, ...documents].flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bcontract[\s*,:(]+((?:[A-Z]\d+(?:\/|, | and )?)+)/g)].flatMap(
      ([, names = '']) => (names.match(/[A-Z]\d+/g) ?? []).map((name) => ({ path, name })),
    ),
  )
  assert.ok(cited.length > 0)
  assert.deepEqual(
    cited.filter(({ name }) => !listed.has(name)),
    [],
  )
})
