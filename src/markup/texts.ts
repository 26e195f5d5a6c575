import { createHash } from 'node:crypto'
import type { CacheBudget } from '../lib/cache-budget.ts'
import {
  type Asker,
  createOwnThread,
  type OwnThread,
  type SpareThreads,
  ThreadLate,
  ThreadOverrun,
} from '../lib/own-thread.ts'
import { RecentUse } from '../lib/recent-use.ts'
import { type WorkBudget, WorkTooCostly } from '../lib/work-budget.ts'
import { isHighlightable, plainLines } from './highlight.ts'
import { unrendered } from './unrendered.ts'
import type { MarkdownOptions, Rendered } from './markdown.ts'
import type { MessagePart } from './message.ts'
import type { MarkupSettings } from './markup-settings.ts'
import type { MarkupKind } from './markup-kind.ts'
import { joinCandidates, type ResolvedReferences, type ResolveReferences } from './references.ts'
import { lengthOf, type TextAnswer, type TextJob } from './text-job.ts'
import type { TextRuns } from './text-runs.ts'

export interface TextsOptions {
  /** Most processor time for one text, in milliseconds. */
  readonly timeoutMs: number
  /** Most waiting texts, of short and long ones each. */
  readonly maxQueue: number
  /** The cache of rendered texts and its size. */
  readonly caches: CacheBudget
  readonly cacheBytes: number
  /** Idle threads of earlier applications; for tests. */
  readonly spares?: SpareThreads | undefined
}

/** Who asks for a text and from whose budget its price is taken: a context. */
export interface Reader extends Asker {
  readonly budget: WorkBudget
}

/**
 * Reads and renders texts of users in worker threads, because a hostile text can take long. Threads start with the first text
 * and end when idle. Each text takes its length (`threadChars`) and its processor time (`threadUs`) from the budget of the reader;
 * when it is used up, the other texts of the request stay plain.
 */
export interface Texts {
  /**
   * Renders a text to sanitised HTML; a text that takes too long stays unrendered, as one whose HTML is longer than `maxHtml`. Throws `Unavailable` when too many wait.
   * @param resolve looks up references; without it mentions and commits stay text
   */
  render(
    reader: Reader,
    source: string,
    file: MarkupKind,
    options: MarkdownOptions,
    resolve?: ResolveReferences,
  ): Promise<string>
  /**
   * Splits subjects of messages into text and links, all in one job; they stay text when the budget of the reader is used up or they
   * take too long. Throws `Unavailable` when too many wait.
   */
  messages(
    reader: Reader,
    sources: readonly string[],
    options: MarkdownOptions,
    resolve: ResolveReferences,
  ): Promise<readonly (readonly MessagePart[])[]>
  /** Returns the text runs of Markdown texts, none when they take too long. Throws `Unavailable` when too many wait, and `WorkTooCostly`. */
  runs(reader: Reader, sources: readonly string[]): Promise<readonly TextRuns[]>
  /**
   * Returns the lines of a source as safe HTML with highlighting spans (`hljs-…`), without line ends. A line is only
   * escaped when the language is unknown, or when the source or its HTML is long or takes too long. Throws `Unavailable` when too
   * many wait.
   * @param language from `languageOfFile`; empty for plain text
   */
  lines(reader: Reader, source: string, language: string): Promise<readonly string[]>
  /** The number of texts that a thread began. */
  readonly begun: number
  close(): Promise<void>
}

const idleMs = 20_000

/** Texts up to this length, in characters, have a thread of their own, so that long ones do not delay them. */
const maxShort = 16 * 1024

/** Processor time of a text in the thread of short ones, in milliseconds: twenty times what a comment of that length takes. */
const shortMs = 300

/** Least time on the clock for a text, in milliseconds: it includes the start of a thread on a busy machine. */
const leastWallMs = 10_000

/**
 * Least time on the clock for the references of a text that is written, in milliseconds. A late text of a page is shown plain; a
 * write without its references is refused, so it waits as long as clients do.
 */
const leastWriteMs = 30_000

/** Longest rendered text, in characters: a Markdown text takes up to 120 bytes of memory for each. */
const maxRendered = 512 * 1024

/** Characters that are shown of a text that the answer has no room for. */
const maxShortened = 200

/** Price of a character whose references are read: nothing is highlighted or sanitised. */
const runsPrice = 1 / 4

/** Longest cached text, in bytes: a longer one would evict many others. */
const maxCachedBytes = 512 * 1024

/** The cached result of a text that took too long, so that it takes the time once. */
const overrun = { kind: 'overrun' } as const

type CachedAnswer = TextAnswer | typeof overrun

export function createTexts(options: TextsOptions): Texts {
  const { timeoutMs, maxQueue } = options
  const use = new RecentUse()
  const thread = (name: string, limitMs: number): OwnThread<TextJob, TextAnswer> =>
    createOwnThread({
      name,
      file: 'markup-worker.js',
      timeoutMs: limitMs,
      maxQueue,
      idleMs,
      maxMemoryMb: 384,
      use,
      spares: options.spares,
    })
  const short = thread('texts', Math.min(timeoutMs, shortMs))
  const long = thread('long_texts', timeoutMs)
  const known = options.caches.open<string, CachedAnswer>('texts', {
    maxBytes: options.cacheBytes,
    maxEntryBytes: maxCachedBytes,
    sizeOf: (answer) => 200 + (answer.kind === 'overrun' ? 0 : lengthOf(answer)),
  })

  /** Budgets of requests with a text that proved slow. */
  const slow = new WeakSet<WorkBudget>()

  /**
   * A text that proves slow goes on in the thread of long ones, where it delays no short one. The other texts of its request
   * go there at once: each slow one ends the thread of short ones, and the main thread starts another.
   */
  async function compute(reader: Reader, job: TextJob, key: string): Promise<TextAnswer> {
    const wallMs = Math.max(job.kind === 'runs' ? leastWriteMs : leastWallMs, 6 * timeoutMs)
    if (sourceLength(job) > maxShort || slow.has(reader.budget)) return long.ask(job, reader, key, wallMs)
    try {
      return await short.ask(job, reader, key, wallMs)
    } catch (error) {
      if (!(error instanceof ThreadOverrun) || shortMs >= timeoutMs) throw error
      slow.add(reader.budget)
      return long.ask(job, reader, key, wallMs)
    }
  }

  /** The answer to a job. A text that stays plain is noted in the budget of the reader, whose page says so. */
  async function ask(reader: Reader, job: TextJob): Promise<CachedAnswer> {
    const answer = await askOnce(reader, job)
    if (answer.kind === 'plain') reader.budget.tryTake('outputBytes', Infinity)
    return answer
  }

  async function askOnce(reader: Reader, job: TextJob): Promise<CachedAnswer> {
    // A job contains nothing of the reader except the resolved references, which are part of the key.
    const key = keyOf(job)
    const kept = known.get(key)
    if (kept !== undefined) return kept
    try {
      const answer = await compute(reader, job, key)
      known.set(key, answer)
      return answer
    } catch (error) {
      // What the load of the machine or the other texts of the request spoiled is shown plain and not kept. References have no
      // plain form: without them a write would lose mentions.
      const isSpoiled = error instanceof ThreadLate || error instanceof WorkTooCostly
      if (isSpoiled && job.kind !== 'runs') return overrun
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
      const { budget } = reader
      const sourceBytes = Buffer.byteLength(source)
      if (!budget.tryTake('outputBytes', sourceBytes)) return shortened(source)
      const price = source.length > maxRendered ? Infinity : source.length
      const html = budget.tryTake('threadChars', price)
        ? await withReferences((resolved) => renderOnce(reader, source, file, { ...markdown, ...resolved }), resolve)
        : unrendered(source)
      // Only the rendered text says how much longer it is.
      return budget.tryTake('outputBytes', Math.max(0, Buffer.byteLength(html) - sourceBytes))
        ? html
        : shortened(source)
    },
    async messages(reader, sources, markdown, resolve) {
      const plain = sources.map((source) => [source])
      if (sources.length === 0 || !reader.budget.tryTake('threadChars', sum(sources))) return plain
      const split = async (resolved: ResolvedReferences | undefined) => {
        const answer = await ask(reader, {
          kind: 'messages',
          sources,
          options: { ...markdown, ...(resolved && { resolved }) },
        })
        return answer.kind === 'messages' ? answer.messages : undefined
      }
      const first = await split(undefined)
      if (first === undefined) return plain
      const candidates = joinCandidates(first.map((message) => message.candidates))
      const resolved =
        candidates.mentions.length + candidates.commits.length === 0 ? undefined : await resolve(candidates)
      const isKnown = resolved !== undefined && resolved.mentions.size + resolved.commits.size > 0
      const messages = (isKnown ? await split(resolved) : first) ?? first
      const outputBytes = sum(
        messages.flatMap(({ parts }) => parts.map((part) => (typeof part === 'string' ? '' : part.html))),
      )
      return reader.budget.tryTake('outputBytes', outputBytes) ? messages.map(({ parts }) => parts) : plain
    },
    async runs(reader, sources) {
      if (sources.length === 0) return []
      reader.budget.take('threadChars', Math.ceil(sum(sources) * runsPrice))
      const answer = await ask(reader, { kind: 'runs', sources })
      return answer.kind === 'runs' ? answer.runs : []
    },
    async lines(reader, source, language) {
      if (source === '') return []
      if (!isHighlightable(source, language)) return plainLines(source)
      if (!reader.budget.tryTake('threadChars', source.length)) return plainLines(source)
      const answer = await ask(reader, { kind: 'lines', source, language })
      return answer.kind === 'lines' ? answer.lines : plainLines(source)
    },
    get begun() {
      return short.begun + long.begun
    },
    async close() {
      await Promise.all([short.close(), long.close()])
    },
  }
}

/** Returns the beginning of a text that the answer has no room for. */
const shortened = (source: string): string =>
  source.length <= maxShortened ? unrendered(source) : unrendered(`${source.slice(0, maxShortened).toWellFormed()}…`)

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

const settingsKeys = new WeakMap<MarkupSettings, string>()

/** Returns equal texts for equal settings; a page has one object for all of its texts. */
function keyOfSettings(settings: MarkupSettings): string {
  const key = settingsKeys.get(settings) ?? JSON.stringify(settings, setsAsLists)
  settingsKeys.set(settings, key)
  return key
}

const setsAsLists = (_name: string, value: unknown): unknown => (value instanceof Set ? [...value] : value)

/** Returns a digest of a job. The sources are long, so they are not copied. */
function keyOf(job: TextJob): string {
  const sources = 'sources' in job ? job.sources : [job.source]
  const settings = 'options' in job ? job.options.settings : undefined
  const options = 'options' in job ? { ...job.options, settings: undefined } : undefined
  const more = JSON.stringify({ ...job, source: undefined, sources: undefined, options }, setsAsLists)
  const lengths = sources.map((source) => source.length)
  const digest = createHash('sha256').update(JSON.stringify([more, settings && keyOfSettings(settings), lengths]))
  for (const source of sources) digest.update(source)
  return digest.digest('base64url')
}

const sum = (texts: readonly string[]): number => texts.reduce((length, text) => length + text.length, 0)

const sourceLength = (job: TextJob): number => ('sources' in job ? sum(job.sources) : job.source.length)
