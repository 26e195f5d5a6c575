import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

/*
 * Comments and documents name things of the project; these tests find names that lead nowhere. A name claims to be of
 * the project by its form, so that names of other programs need no exception:
 *
 * - a pointer to a decision is `docs/decisions/<slug>.md`, in Markdown a link; the number alone is refused;
 * - a path is a text with the folder `src`, `test`, `scripts` or `docs` in front, or, between backticks, a text that ends
 *   as code does (`lib/errors.ts`, `rights.ts`): the end of a file's path;
 * - a name between backticks with a capital inside (`findPage`, `WorkBudget`) is a word of the code or of the contract.
 *   `foreignNames` lists those of other programs that the code never uses;
 * - `npm run <script>` is a script of package.json, and `[section].KEY` a setting.
 *
 * Placeholders (`<thing>`, `*`, `…`) match none of these forms.
 */

/** Names of other programs, with their owner. */
const foreignNames = new Map([['distributionManagement', 'an element of Maven']])

const topFolders = ['src', 'test', 'scripts', 'docs', '.ci', '.github']
const rootFiles = readdirSync('.', { withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name }) => name)
const files = [
  ...rootFiles,
  ...topFolders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name)),
  ),
]
/** Copies that `npm run contract:sync` makes. */
const isCopy = (path: string): boolean => /^(?:test\/(?:conformance|clients|contract)|scripts\/bench\/kit)\//.test(path)
const own = files.filter((path) => !isCopy(path) && path !== 'test/tidy-pointers.test.ts')
const codeFiles = own.filter((path) => /\.(?:tsx?|mts|mjs|cjs|css)$/.test(path))
const documents = own.filter((path) => path.endsWith('.md'))

interface Line {
  readonly path: string
  readonly at: string
  readonly text: string
}

/** Lines of comments, and the code without them. */
const comments: Line[] = []
const codeLines: string[] = []
for (const path of codeFiles) {
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries()) {
    const at = `${path}:${index + 1}`
    const [, whole] = /^\s*(?:\/?\*|\/\/)(.*)$/.exec(line) ?? []
    if (whole !== undefined) {
      comments.push({ path, at, text: whole })
      continue
    }
    const [, before = '', after] = /^(.*?)(?:\s\/\/ (.*))?$/.exec(line) ?? []
    codeLines.push(before)
    if (after !== undefined) comments.push({ path, at, text: after })
  }
}

/** Lines of documents outside examples. */
const prose: Line[] = documents.flatMap((path) => {
  let isExample = false
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const isFence = /^\s*```/.test(text)
      if (isFence) isExample = !isExample
      return isFence || isExample ? [] : [{ path, at: `${path}:${index + 1}`, text }]
    })
})
const lines = [...comments, ...prose]

const data = ['package.json', ...files.filter((path) => /^(?:src|test\/contract)\/.*\.json$/.test(path))]
const words = new Set(
  [...codeLines, ...data.map((path) => readFileSync(path, 'utf8'))].flatMap((text) => text.match(/[\w$]+/g) ?? []),
)

/** The end of each file's path, from each of its folders. */
const pathEnds = new Set(
  files.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(index).join('/'))),
)
const decisions = new Set(readdirSync('docs/decisions'))
const numbers = new Set([...decisions].map((name) => name.slice(0, 4)))

/** What `find` returns for lines, each with its file and line. */
const foundIn = (among: readonly Line[], find: (line: Line) => readonly string[]): string[] =>
  among.flatMap((line) => find(line).map((what) => `${line.at}: ${what}`))

const quotedIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner)

test('a pointer to a decision names its file', () => {
  const wrong = foundIn(lines, ({ path, text }) => {
    const links = [...text.matchAll(/\[([^\]]*)\]\(([^)]*)\)/g)]
    const plain = text.replaceAll(/\[[^\]]*\]\([^)]*\)/g, '')
    const isTitle = text.startsWith('# ')
    const isDecision = path.startsWith('docs/decisions/')
    return [
      ...[...text.matchAll(/decisions\/(\d{4}[\w.-]*)/g)]
        .map(([, name = '']) => name.replace(/\.$/, ''))
        .filter((name) => !decisions.has(name)),
      ...links
        .filter(([, label = '', target = '']) => /\b\d{4}$/.test(label) && /(?:^|\/)\d{4}-/.test(target))
        .filter(
          ([, label = '', target = '']) =>
            !target
              .split('/')
              .at(-1)
              ?.startsWith(`${label.slice(-4)}-`),
        )
        .map(([link]) => link),
      ...[...plain.matchAll(/\b[Dd]ecisions? (\d{4})\b/g)].map(([pointer]) => pointer),
      ...(isDecision && !isTitle ? (plain.match(/(?<![\w.-])00\d\d(?![\w-])/g) ?? []) : []).filter((number) =>
        numbers.has(number),
      ),
    ]
  })
  assert.deepEqual(wrong, [])
})

test('docs/decisions/README.md lists each decision once', () => {
  const listed = [...readFileSync('docs/decisions/README.md', 'utf8').matchAll(/\]\((\d{4}[^)]*)\)/g)].map(
    ([, name = '']) => name,
  )
  assert.deepEqual(
    listed.toSorted(),
    [...decisions].filter((name) => name !== 'README.md'),
  )
})

test('links of documents lead to files and headings', () => {
  const headingsOf = (path: string): Set<string> =>
    new Set(
      [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-'),
      ),
    )
  const wrong = foundIn(prose, ({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [name = '', heading] = target.split('#')
        const file = name === '' ? path : join(dirname(path), name)
        return !existsSync(file) || (heading !== undefined && !headingsOf(file).has(heading))
      }),
  )
  assert.deepEqual(wrong, [])
})

test('a path in a comment or document exists', () => {
  const wrong = foundIn(lines, ({ text }) => [
    ...(text.match(/(?<![\w./-])(?:src|test|scripts|docs)\/[\w./-]+\.(?:tsx?|mjs|cjs|md|css|json)\b/g) ?? []).filter(
      (path) => !files.includes(path),
    ),
    ...quotedIn(text)
      .filter((quoted) => /^\w[\w./-]*\.(?:tsx?|mjs|cjs)$/.test(quoted))
      .filter((path) => !pathEnds.has(path)),
  ])
  assert.deepEqual(wrong, [])
})

test('a name between backticks in a comment or document is a word of the code', () => {
  const wrong = foundIn(lines, ({ text }) =>
    quotedIn(text)
      .filter((quoted) => /^\w+(?:\(\))?$/.test(quoted) && /[a-z][A-Z]/.test(quoted))
      .map((quoted) => quoted.replace('()', ''))
      .filter((name) => !words.has(name) && !foreignNames.has(name)),
  )
  assert.deepEqual(wrong, [])
})

test('a name of another program is named', () => {
  const named = new Set(lines.flatMap(({ text }) => quotedIn(text)))
  assert.deepEqual(
    [...foreignNames.keys()].filter((name) => !named.has(name) || words.has(name)),
    [],
  )
})

test('a script or setting in a comment or document exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
  const wrong = foundIn(lines, ({ text }) => [
    ...[...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:]*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => scripts[name] === undefined),
    ...[...text.matchAll(/`\[[\w.-]+\]\.?\s?([A-Z][A-Z_\d]+)(?=[`\s])/g)]
      .map(([, key = '']) => key)
      .filter((key) => !words.has(key)),
  ])
  assert.deepEqual(wrong, [])
})
