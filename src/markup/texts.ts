import { createHash } from 'node:crypto'
import type { CacheBudget } from '../lib/cache-budget.ts'
import { type Asker, createOwnThread, ThreadLate, ThreadOverrun, type OwnThread } from '../lib/own-thread.ts'
import type { WorkBudget } from '../lib/work-budget.ts'
import { fencesCost, highlightCost, maxLinesCost, maxLinesLength, plainLines } from './highlight.ts'
import { unrendered } from './unrendered.ts'
import type { MarkdownOptions, Rendered } from './markdown.ts'
import type { MarkupKind } from './markup-kind.ts'
import type { ResolveReferences } from './references.ts'
import type { TextAnswer, TextJob } from './text-job.ts'
import type { TextRuns } from './text-runs.ts'

export interface TextsOptions {
  /** Most processor time for one text, in milliseconds. */
  readonly timeoutMs: number
  /** Most waiting texts, of short and long ones each. */
  readonly maxQueue: number
  /** The cache of rendered texts and its size. */
  readonly caches: CacheBudget
  readonly cacheBytes: number
}

/** Who asks for a text and from whose budget its price is taken: a context. */
export interface Reader extends Asker {
  readonly budget: WorkBudget
}

/**
 * Reads and renders texts of users in worker threads, because a hostile text can take long. Threads start with the first text
 * and end when idle. Each text takes its price from the budget of the reader (`threadChars`); without it the text stays plain.
 */
export interface Texts {
  /**
   * Renders a text to sanitised HTML; a text that takes too long stays unrendered. Throws `Unavailable` when too many wait.
   * @param resolve looks up references; without it mentions and commits stay text
   */
  render(
    reader: Reader,
    source: string,
    file: MarkupKind,
    options: MarkdownOptions,
    resolve?: ResolveReferences,
  ): Promise<string>
  /** Returns the text runs of Markdown texts, none when they take too long. Throws `Unavailable` when too many wait. */
  runs(reader: Reader, sources: readonly string[]): Promise<readonly TextRuns[]>
  /**
   * Returns the lines of a source as safe HTML with highlighting spans (`hljs-…`), without line ends. A line is only
   * escaped when the language is unknown, or when the source is long or takes too long. Throws `Unavailable` when too
   * many wait.
   * @param language from `languageOfFile`; empty for plain text
   */
  lines(reader: Reader, source: string, language: string): Promise<readonly string[]>
  close(): Promise<void>
}

const idleMs = 20_000

/** Texts up to this length, in characters, have a thread of their own, so that long ones do not delay them. */
const maxShort = 16 * 1024

/** Price of a character whose references are read: nothing is highlighted or sanitised. */
const runsPrice = 1 / 4

/** Longest cached text, in bytes: a longer one would evict many others. */
const maxCachedBytes = 512 * 1024

/** The cached result of a text that took too long, so that it takes the time once. */
const overrun = { kind: 'overrun' } as const

type CachedAnswer = TextAnswer | typeof overrun

export function createTexts(options: TextsOptions): Texts {
  const { timeoutMs, maxQueue } = options
  const thread = (name: string): OwnThread<TextJob, TextAnswer> =>
    createOwnThread({ name, file: 'markup-worker.js', timeoutMs, maxQueue, idleMs, maxMemoryMb: 384 })
  const short = thread('texts')
  const long = thread('long_texts')
  const known = options.caches.open<string, CachedAnswer>('texts', {
    maxBytes: options.cacheBytes,
    maxEntryBytes: maxCachedBytes,
    sizeOf: (answer) => 200 + lengthOf(answer),
  })

  async function ask(reader: Reader, job: TextJob): Promise<CachedAnswer> {
    // A job contains nothing of the reader except the resolved references, which are part of the key.
    const key = createHash('sha256').update(keyOf(job)).digest('base64url')
    const kept = known.get(key)
    if (kept !== undefined) return kept
    try {
      const answer = await (sourceLength(job) <= maxShort ? short : long).ask(job, reader, key)
      known.set(key, answer)
      return answer
    } catch (error) {
      // What the load of the machine spoiled is shown once and not kept.
      if (error instanceof ThreadLate) return overrun
      if (!(error instanceof ThreadOverrun)) throw error
      known.set(key, overrun)
      return overrun
    }
  }

  async function renderOnce(
    reader: Reader,
    source: string,
    file: MarkupKind,
    markdown: MarkdownOptions,
  ): Promise<Rendered> {
    const answer = await ask(reader, { kind: 'render', source, file, options: markdown })
    return answer.kind === 'render'
      ? answer.rendered
      : { html: unrendered(source), candidates: { mentions: [], commits: [] } }
  }

  return {
    async render(reader, source, file, markdown, resolve) {
      if (source.trim() === '') return ''
      if (!reader.budget.tryTake('threadChars', source.length + fencesCost(source))) return unrendered(source)
      return withReferences((resolved) => renderOnce(reader, source, file, { ...markdown, ...resolved }), resolve)
    },
    async runs(reader, sources) {
      if (sources.length === 0) return []
      if (!reader.budget.tryTake('threadChars', Math.ceil(sum(sources) * runsPrice))) return []
      const answer = await ask(reader, { kind: 'runs', sources })
      return answer.kind === 'runs' ? answer.runs : []
    },
    async lines(reader, source, language) {
      if (source === '') return []
      if (language === '' || source.length > maxLinesLength) return plainLines(source)
      const cost = highlightCost(source)
      if (cost > maxLinesCost || !reader.budget.tryTake('threadChars', cost)) return plainLines(source)
      const answer = await ask(reader, { kind: 'lines', source, language })
      return answer.kind === 'lines' ? answer.lines : plainLines(source)
    },
    async close() {
      await Promise.all([short.close(), long.close()])
    },
  }
}

/** Renders a text, looks up its candidates, and renders again when some exist, so that the thread never waits for a lookup. */
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

const keyOf = (job: TextJob): string =>
  JSON.stringify(job, (_key, value: unknown) => (value instanceof Set ? [...value] : value))

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

const sourceLength = (job: TextJob): number => (job.kind === 'runs' ? sum(job.sources) : job.source.length)

function lengthOf(answer: CachedAnswer): number {
  if (answer.kind === 'render') return answer.rendered.html.length
  if (answer.kind === 'lines') return sum(answer.lines)
  return answer.kind === 'runs' ? sum(answer.runs.flatMap(({ text, links }) => [text, ...links])) : 0
}
