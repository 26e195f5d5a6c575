import { createHash } from 'node:crypto'
import type { CacheBudget } from '../lib/cache-budget.ts'
import { createOwnThread, ThreadOverrun, type OwnThread } from '../lib/own-thread.ts'
import { escapeHtml } from './html.ts'
import type { MarkdownOptions, Rendered } from './markdown.ts'
import type { MarkupKind } from './markup-kind.ts'
import type { ResolveReferences } from './references.ts'
import type { TextAnswer, TextJob } from './text-job.ts'
import type { TextRuns } from './text-runs.ts'

export interface TextsOptions {
  /** Longest work on one text, in milliseconds. */
  readonly timeoutMs: number
  /** Texts of each size that may wait. */
  readonly maxQueue: number
  /** Where rendered texts are kept, and at most how many bytes of them. */
  readonly caches: CacheBudget
  readonly cacheBytes: number
}

/**
 * What is done with texts that people wrote, away from the event loop: its time grows with the text, and some texts are
 * written to make it grow. Threads are started with the first text and ended when there was none for a while.
 */
export interface Texts {
  /**
   * A text as clean HTML; one that takes too long or becomes too much is shown as it is.
   * @param resolve looks up what the text may refer to; without it mentions and commits stay text
   * @throws Unavailable when too many wait
   */
  render(source: string, file: MarkupKind, options: MarkdownOptions, resolve?: ResolveReferences): Promise<string>
  /**
   * What each of some Markdown texts says outside of code; nothing when they take too long.
   * @throws Unavailable when too many wait
   */
  runs(sources: readonly string[]): Promise<readonly TextRuns[]>
  close(): Promise<void>
}

const idleMs = 20_000

/** Texts up to this length have a thread of their own, so that no long one holds them up; in characters. */
const maxShort = 16 * 1024

/** A rendered text longer than this is not kept, in bytes or characters: one of them would push out all others. */
const maxKeptBytes = 512 * 1024

/** What a text that took too long is remembered as, so that it takes the thread's time once. */
const tooMuch = { kind: 'too much' } as const

type Remembered = TextAnswer | typeof tooMuch

export function createTexts(options: TextsOptions): Texts {
  const { timeoutMs, maxQueue } = options
  const thread = (name: string): OwnThread<TextJob, TextAnswer> =>
    createOwnThread({ name, file: 'markup-worker.js', timeoutMs, maxQueue, idleMs, maxMemoryMb: 384 })
  const short = thread('texts')
  const long = thread('long_texts')
  const known = options.caches.open<string, Remembered>('texts', {
    maxBytes: options.cacheBytes,
    maxEntryBytes: maxKeptBytes,
    sizeOf: (answer) => 200 + lengthOf(answer),
  })

  async function ask(job: TextJob): Promise<Remembered> {
    // Nothing of who asks is in a job but what was found for them, which is part of the name.
    const name = createHash('sha256').update(nameOf(job)).digest('base64url')
    const kept = known.get(name)
    if (kept !== undefined) return kept
    const answer = await (sourceLength(job) <= maxShort ? short : long).ask(job).catch((error: unknown): Remembered => {
      if (error instanceof ThreadOverrun) return tooMuch
      throw error
    })
    known.set(name, answer)
    return answer
  }

  async function renderOnce(source: string, file: MarkupKind, markdown: MarkdownOptions): Promise<Rendered> {
    const answer = await ask({ kind: 'render', source, file, options: markdown })
    return answer.kind === 'render'
      ? answer.rendered
      : { html: `<pre>${escapeHtml(source)}</pre>`, candidates: { mentions: [], commits: [] } }
  }

  return {
    async render(source, file, markdown, resolve) {
      if (source.trim() === '') return ''
      return withReferences((resolved) => renderOnce(source, file, { ...markdown, ...resolved }), resolve)
    },
    async runs(sources) {
      if (sources.length === 0) return []
      const answer = await ask({ kind: 'runs', sources })
      return answer.kind === 'runs' ? answer.runs : []
    },
    async close() {
      await Promise.all([short.close(), long.close()])
    },
  }
}

/**
 * Renders, looks up what the text may refer to, and renders once more when something of it was found. The thread
 * waits for nobody that way.
 */
export async function withReferences(
  render: (more: Pick<MarkdownOptions, 'resolved'>) => Promise<Rendered>,
  resolve: ResolveReferences | undefined,
): Promise<string> {
  const { html, candidates } = await render({})
  if (resolve === undefined || candidates.mentions.length + candidates.commits.length === 0) return html
  const resolved = await resolve(candidates)
  if (resolved.mentions.size + resolved.commits.size === 0) return html
  return (await render({ resolved })).html
}

const nameOf = (job: TextJob): string =>
  JSON.stringify(job, (_key, value: unknown) => (value instanceof Set ? [...value] : value))

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

const sourceLength = (job: TextJob): number => (job.kind === 'render' ? job.source.length : sum(job.sources))

function lengthOf(answer: Remembered): number {
  if (answer.kind === 'render') return answer.rendered.html.length
  return answer.kind === 'runs' ? sum(answer.runs.flatMap(({ text, links }) => [text, ...links])) : 0
}
