/** Dimensions of repositories, pushed with git. */
import { base64, commit, many } from './world.mjs'

const files = (count, nameOf, text = 'a\n') => Object.fromEntries(many(count, (at) => [nameOf(at), text]))
const places = (...paths) => ({
  'contents.filepath': paths,
  'raw.filepath': paths,
  'src.filepath': paths.map((path) => `branch/main/${path}`),
  'commits.filepath': paths.map((path) => `branch/main/${path}`),
  'blame.filepath': paths.map((path) => `branch/main/${path}`),
  sha: ['main'],
})
const main = ['main:main']
/** A branch that changes a file or many, and a pull request for it. */
async function pullOf(world, base, changed) {
  await world.push(
    [...commit({ files: base, mark: 1 }), ...commit({ branch: 'topic', from: ':1', mark: 2, files: changed })],
    'main:main',
    'topic:topic',
  )
  const { number, head } = await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
  return {
    index: [number],
    'compare.filepath': ['main...topic'],
    ...places(...Object.keys(base).slice(0, 1)),
    sha: [head.sha],
  }
}
const oneFile = (name, path, limit, textOf) => ({
  name,
  limit,
  async fill(world, size) {
    await world.push(
      [...commit({ files: { [path]: textOf(size), 'README.md': textOf(Math.min(size, 900_000)) } })],
      ...main,
    )
    return places(path)
  },
})
const commitsWith = (name, limit, of) => ({
  name,
  limit,
  async fill(world, size) {
    await world.push(
      many(50, (at) => [
        ...commit({ files: { a: String(at), [`f${at}/a`]: 'a' }, time: 1_700_000_000 + at, ...of(size, at) }),
      ]).flat(),
      ...main,
      ...many(20, (at) => `main~${at}:refs/heads/b${at}`),
    )
    await world.must('POST', `${world.repo}/pulls`, { head: 'b0', base: 'b19', title: 'a' })
    return { index: [1], branch: ['b1'], 'compare.filepath': ['b19...b0'], ...places('a', 'f1') }
  },
})
const notebook = (cells) => JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells })
const cell = (source) => ({ cell_type: 'markdown', metadata: {}, source })

/** Patterns whose braces overflow: none is expanded, and each is long. */
export const overflowing = `${'a'.repeat(3900)}${'{a,b}'.repeat(9)}`
const ruleFile = (name, path, limit, line) => ({
  name,
  limit,
  async fill(world, size) {
    const own = files(100, (at) => `dir/${'a'.repeat(60)}${at}`)
    return pullOf(world, { [path]: many(size, line).join('') }, own)
  },
})

export const gitDimensions = [
  oneFile('bytes of a line', 'long.js', 4_000_000, (size) => `const a = "${'a\\'.repeat(size / 2)}"\n`),
  oneFile('lines of a file', 'lines.txt', 2_000_000, (size) => 'a\n'.repeat(size)),
  oneFile('lines of code', 'lines.ts', 260_000, (size) => 'a\n'.repeat(size)),
  oneFile('code of a file', 'code.ts', 900_000, (size) => 'const a = `${b}` /* c */\n'.repeat(size / 26)),
  oneFile('cells of a notebook', 'cells.ipynb', 20_000, (size) => notebook(many(size, (at) => cell(`a *${at}*`)))),
  oneFile('slow fences of a notebook', 'slow.ipynb', 40, (size) =>
    notebook(many(size, (at) => cell(`\`\`\`properties\n${at}${'a\\'.repeat(6000)}\n\`\`\`\n`))),
  ),
  oneFile('outputs of a notebook', 'out.ipynb', 3000, (size) =>
    notebook(
      many(size, (at) => ({
        cell_type: 'code',
        metadata: {},
        source: `a${at}`,
        execution_count: 1,
        outputs: [{ output_type: 'stream', name: 'stdout', text: `\u001B[31m${at}\u001B[0m`.repeat(100) }],
      })),
    ),
  ),
  oneFile('pictures of a notebook', 'pictures.ipynb', 40, (size) =>
    notebook(
      many(size, (at) => ({
        cell_type: 'code',
        metadata: {},
        source: `a${at}`,
        execution_count: 1,
        outputs: [
          {
            output_type: 'display_data',
            metadata: {},
            data: { 'image/png': base64(String(at).repeat(999)).padEnd(190_000, 'A') },
          },
        ],
      })),
    ),
  ),
  oneFile('rows of a table file', 'rows.csv', 200_000, (size) => 'a,b,c\n'.repeat(size)),
  oneFile(
    'elements of a picture',
    'picture.svg',
    100_000,
    (size) => `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(size)}</svg>`,
  ),
  {
    name: 'files in a folder',
    limit: 30_000,
    async fill(world, size) {
      await world.push([...commit({ files: files(size, (at) => `dir/${'n'.repeat(100)}${at}`) })], ...main)
      return places('dir')
    },
  },
  {
    name: 'files in a deep folder',
    limit: 2000,
    async fill(world, size) {
      const folder = `${'d'.repeat(200)}/`.repeat(17)
      await world.push([...commit({ files: files(size, (at) => `${folder}${'n'.repeat(200)}${at}`) })], ...main)
      return places(folder.slice(0, -1))
    },
  },
  {
    name: 'folders in a folder',
    limit: 2000,
    async fill(world, size) {
      await world.push([...commit({ files: files(1, () => `${'d/'.repeat(size)}a`) })], ...main)
      return places('d', 'd/'.repeat(size - 1) + 'd')
    },
  },
  {
    name: 'files in a commit',
    limit: 10_000,
    fill: (world, size) =>
      pullOf(
        world,
        files(size, (at) => `f${at}`),
        files(size, (at) => `f${at}`, 'b\n'),
      ),
  },
  {
    name: 'renamed files',
    limit: 900,
    async fill(world, size) {
      const text = (at, word) => many(200, (line) => `${word} ${at} ${line}\n`).join('')
      await world.push(
        [
          ...commit({ files: Object.fromEntries(many(size, (at) => [`f${at}`, text(at, 'a')])), mark: 1 }),
          `commit refs/heads/topic\nmark :2\ncommitter a <a@example.com> 1700000000 +0000\ndata 1\na\nfrom :1\n`,
          ...many(size, (at) => `D f${at}\nM 100644 inline g${at}\ndata <<END\n${text(at, 'a')}more\nEND\n`),
        ],
        'main:main',
        'topic:topic',
      )
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      return { index: [1], 'compare.filepath': ['main...topic'], sha: ['topic'] }
    },
  },
  {
    name: 'conflicts of a pull request',
    limit: 2000,
    async fill(world, size) {
      const changed = (word) => files(size, (at) => `f${at}`, `${word}\n`)
      await world.push(
        [
          ...commit({ files: changed('a'), mark: 1 }),
          ...commit({ branch: 'topic', from: ':1', mark: 2, files: changed('b') }),
          ...commit({ from: ':1', mark: 3, files: changed('c') }),
        ],
        'main:main',
        'topic:topic',
      )
      await world.must('POST', `${world.repo}/pulls`, { head: 'topic', base: 'main', title: 'a' })
      return { index: [1], 'compare.filepath': ['main...topic'] }
    },
  },
  {
    name: 'changed lines',
    limit: 20_000,
    fill: (world, size) =>
      pullOf(
        world,
        files(10, (at) => `f${at}`, many(size / 10, (line) => `one ${line} two\n`).join('')),
        files(10, (at) => `f${at}`, many(size / 10, (line) => `one ${line * 3} three\n`).join('')),
      ),
  },
  {
    name: 'changed words',
    limit: 240,
    fill(world, size) {
      const text = (word) =>
        many(400, () => `${many(size, (at) => `${at % 2 === 0 ? word : 'same'}${at}`).join(' ')}\n`).join('')
      return pullOf(
        world,
        files(30, (at) => `f${at}`, text('a')),
        files(30, (at) => `f${at}`, text('b')),
      )
    },
  },
  commitsWith('bytes of commit messages', 1_000_000, (size, at) => ({
    message: `${at}\n\n${'message '.repeat(size / 8)}`,
  })),
  commitsWith('bytes of commit subjects', 1_000_000, (size, at) => ({
    message: `${at} ${'subject '.repeat(size / 8)}`,
  })),
  commitsWith('bytes of author names', 100_000, (size, at) => ({ author: `${at}${'name '.repeat(size / 5)}end` })),
  commitsWith('trailers of commits', 20_000, (size, at) => ({
    message: `${at}\n\n${many(size, (n) => `Co-authored-by: a <a${n}@example.com>\n`).join('')}`,
  })),
  {
    name: 'commits',
    limit: 20_000,
    async fill(world, size) {
      await world.push(
        (function* () {
          for (let at = 0; at < size; at++) {
            yield* commit({
              files: { [`f${at % 50}`]: String(at) },
              author: `a${at}`,
              email: `a${at}@example.com`,
              time: 1_600_000_000 + at * 3600,
            })
          }
        })(),
        ...main,
        `main~${size - 2}:refs/heads/first`,
      )
      await world.tryTo('POST', `${world.repo}/pulls`, { head: 'main', base: 'first', title: 'a' })
      return { index: [1], 'compare.filepath': ['first...main'], ...places('f1') }
    },
  },
  {
    name: 'parents of a commit',
    limit: 1000,
    async fill(world, size) {
      await world.push(
        [
          ...many(size, (at) => [...commit({ branch: `p${at}`, mark: at + 1, files: { [`f${at}`]: 'a' } })]).flat(),
          ...commit({ from: ':1', merges: many(size - 1, (at) => `:${at + 2}`), files: { a: 'a' } }),
        ],
        ...main,
      )
      return places('a')
    },
  },
  ...['heads', 'tags'].map((kind) => ({
    name: kind === 'heads' ? 'branches' : 'tags',
    limit: 10_000,
    async fill(world, size) {
      await world.push([...commit({ files: { a: 'a' } })], ...main)
      // A command line has a limit.
      for (let at = 0; at < size; at += 2500) {
        await world.push([], ...many(Math.min(2500, size - at), (n) => `main:refs/${kind}/${'n'.repeat(200)}${at + n}`))
      }
      return { branch: [`${'n'.repeat(200)}1`], ...places('a') }
    },
  })),
  {
    name: 'bytes of messages of tags',
    limit: 1_000_000,
    async fill(world, size) {
      const message = 'message '.repeat(size / 8)
      await world.push(
        [
          ...commit({ files: { a: 'a' }, mark: 1 }),
          ...many(
            40,
            (at) =>
              `tag t${at}\nfrom :1\ntagger a <a@example.com> 1700000000 +0000\ndata ${message.length}\n${message}\n`,
          ),
        ],
        ...main,
        ...many(40, (at) => `refs/tags/t${at}`),
      )
      for (const at of many(20, (at) => at)) {
        await world.tryTo('POST', `${world.repo}/releases`, { tag_name: `t${at}`, name: 'a' })
      }
      return { tag: ['t1'], 'tags.filepath': ['t1'], ...places('a') }
    },
  },
  ruleFile(
    'patterns of .gitattributes',
    '.gitattributes',
    480,
    (at) => `${overflowing.slice(2000)}${at} linguist-vendored\n`,
  ),
  ruleFile('patterns of .editorconfig', '.editorconfig', 65, (at) => `[${overflowing}${at}]\nindent_size = 2\n`),
  ruleFile('lines of CODEOWNERS', 'CODEOWNERS', 2000, (at) => `(a+)+${at}b @root\n`),
  ruleFile(
    'modules of .gitmodules',
    '.gitmodules',
    10_000,
    (at) => `[submodule "a${at}"]\npath = a${at}\nurl = https://a.example/b\n`,
  ),
  ruleFile('fields of an issue form', '.gitea/issue_template/a.yaml', 3000, (at) =>
    at === 0 ? 'name: a\nabout: b\nbody:\n' : `  - type: input\n    id: i${at}\n    attributes: { label: "a${at}" }\n`,
  ),
  {
    name: 'issue templates',
    limit: 300,
    async fill(world, size) {
      const form = (at) =>
        `name: ${'n'.repeat(200)}${at}\nabout: ${'b'.repeat(2000)}\nbody:\n${many(50, (n) => `  - type: input\n    id: i${n}\n    attributes: { label: "a${n}" }\n`).join('')}`
      await world.push(
        [
          ...commit({
            files: Object.fromEntries(many(size, (at) => [`.gitea/issue_template/t${at}.yaml`, form(at)])),
          }),
        ],
        ...main,
      )
      return places('.gitea/issue_template')
    },
  },
  ruleFile('jobs of a workflow', '.gitea/workflows/a.yml', 3000, (at) =>
    at === 0 ? 'on: push\njobs:\n' : `  j${at}: {runs-on: x, steps: [{run: echo}]}\n`,
  ),
  ruleFile('matrix of a workflow', '.gitea/workflows/a.yml', 400, (at) =>
    at === 0
      ? 'on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: echo}]\n    strategy:\n      matrix:\n        b:\n'
      : `          - ${at}\n`,
  ),
  {
    name: 'workflows',
    limit: 300,
    async fill(world, size) {
      await world.push(
        [
          ...commit({
            files: files(
              size,
              (at) => `.gitea/workflows/w${at}.yml`,
              `name: ${'n'.repeat(200)}\non: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n`,
            ),
          }),
        ],
        ...main,
      )
      return places('.gitea/workflows')
    },
  },
]
