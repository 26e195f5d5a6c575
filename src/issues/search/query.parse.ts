import { parseSearchWords } from './words.parse.ts'
import { wordTable } from '../../lib/word-table.ts'

/**
 * The query language of issue lists, as people know it: `is:open label:"good first issue" author:me no:milestone
 * sort:updated crack`. A minus before `label:` excludes a label. `created:` and `updated:` take a day, a bound or a range (`2026-01-31`,
 * `>=2026-01-01`, `2026-01-01..2026-01-31`), `comments:` a number alike. A value with blanks or quotation marks stands in quotation
 * marks; `\"` is a quotation mark there. All other words are searched in the texts.
 */

export const lackable = ['label', 'milestone', 'assignee'] as const
/** What an issue may lack. */
export type Lack = (typeof lackable)[number]

export const querySorts = [
  'created-desc',
  'created-asc',
  'updated-desc',
  'updated-asc',
  'comments-desc',
  'comments-asc',
  'due-asc',
  'due-desc',
] as const
export type QuerySort = (typeof querySorts)[number]

/** Bounds that both belong to the range. */
export interface Bounds<T> {
  readonly from?: T | undefined
  readonly to?: T | undefined
}

export interface IssueQuery {
  readonly state: 'open' | 'closed' | 'all'
  /** Absent: the kind of the list. */
  readonly kind?: 'issues' | 'pulls' | undefined
  /** Names; the issue has all of them. */
  readonly labels: readonly string[]
  /** Names; the issue has none of them. */
  readonly withoutLabels: readonly string[]
  readonly lacks: readonly Lack[]
  readonly milestone?: string | undefined
  /** Login names; `me` stands for the person who asks. */
  readonly author?: string | undefined
  readonly assignee?: string | undefined
  readonly mentions?: string | undefined
  readonly reviewRequested?: string | undefined
  readonly reviewedBy?: string | undefined
  /** Days such as `2026-11-28` of the creation and of the last change. */
  readonly created?: Bounds<string> | undefined
  readonly updated?: Bounds<string> | undefined
  readonly comments?: Bounds<number> | undefined
  readonly sort: QuerySort
  /** Words and phrases in the form of `parseSearchWords`. */
  readonly words: string
  /**
   * What a list cannot obey, as written: unknown filters, a second value where one is possible, labels and text beyond the limit, and
   * words of punctuation only.
   */
  readonly unknown: readonly string[]
  /** Filters and phrases whose quotation mark has no end, as written. They end with the query. */
  readonly unclosed: readonly string[]
}

export const emptyQuery: IssueQuery = {
  state: 'all',
  labels: [],
  withoutLabels: [],
  lacks: [],
  sort: 'created-desc',
  words: '',
  unknown: [],
  unclosed: [],
}

/** The query of a list when nobody has asked for another. */
export const usualQuery: IssueQuery = { ...emptyQuery, state: 'open' }

const longestText = 1000
/** Most labels of one query, and most excluded ones. */
const maxLabels = 20

const names = {
  author: 'author',
  assignee: 'assignee',
  mentions: 'mentions',
  milestone: 'milestone',
  'review-requested': 'reviewRequested',
  'reviewed-by': 'reviewedBy',
} as const
type NameKey = (typeof names)[keyof typeof names]
const nameKeys = wordTable<NameKey>(names)

/** The order of a key without a direction. */
const usualOrder = wordTable<QuerySort>({
  created: 'created-desc',
  newest: 'created-desc',
  oldest: 'created-asc',
  updated: 'updated-desc',
  comments: 'comments-desc',
  due: 'due-asc',
})

const filterForm = /^(-?[a-z-]+):(?:"((?:\\["\\]|[^"])*?)"?|(\S+))$/i

/** Whether a token has a quotation mark without an end. */
const isUnclosed = (token: string): boolean => (token.replace(/\\["\\]/g, '').match(/"/g) ?? []).length % 2 === 1

/** Splits at spaces outside of quotation marks. */
const tokensOf = (text: string): readonly string[] => text.match(/(?:[^\s"]|"(?:\\["\\]|[^"])*(?:"|$))+/g) ?? []

/** Returns the bounds that `3`, `>3`, `>=3`, `<3`, `<=3`, `3..5`, `3..*` and `*..5` name; undefined for another text. */
function boundsOf<T>(
  text: string,
  parse: (text: string) => T | undefined,
  step: (value: T, by: 1 | -1) => T,
): Bounds<T> | undefined {
  const [, low = '', high = ''] = /^(\S+?)\.\.(\S+)$/.exec(text) ?? []
  if (low !== '') {
    const from = low === '*' ? undefined : parse(low)
    const to = high === '*' ? undefined : parse(high)
    const isRange = (low === '*' || from !== undefined) && (high === '*' || to !== undefined) && low + high !== '**'
    return isRange ? { from, to } : undefined
  }
  const [, sign = '', rest = ''] = /^([<>]=?|)(.*)$/s.exec(text) ?? []
  const value = parse(rest)
  if (value === undefined) return undefined
  if (sign === '') return { from: value, to: value }
  if (sign.startsWith('>')) return { from: sign === '>' ? step(value, 1) : value }
  return { to: sign === '<' ? step(value, -1) : value }
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns a day that the calendar has, in years that a time of the database can have. */
function parseDay(text: string): string | undefined {
  if (!/^[12]\d{3}-\d{2}-\d{2}$/.test(text)) return undefined
  const ms = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : text
}

const stepDay = (day: string, by: 1 | -1): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + by * dayMs).toISOString().slice(0, 10)

const parseCount = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

const kindWords = wordTable<'issues' | 'pulls'>({ issue: 'issues', pr: 'pulls', pull: 'pulls' })

const stateWords = ['open', 'closed', 'all'] as const

/** The filters that have one value. */
type Found = {
  -readonly [Key in NameKey | 'state' | 'kind' | 'created' | 'updated' | 'comments' | 'sort']?: IssueQuery[Key]
}

/** Parses a query. It understands every text; what is no filter is a word. */
export function parseIssueQuery(text: string): IssueQuery {
  const labels: string[] = []
  const withoutLabels: string[] = []
  const lacks = new Set<Lack>()
  const words: string[] = []
  const unknown: string[] = []
  const found: Found = {}
  const unclosed: string[] = []
  const labelsOf = wordTable<string[]>({ label: labels, '-label': withoutLabels })
  if (text.length > longestText) unknown.push(`…${text.slice(longestText, longestText + 50).toWellFormed()}`)
  for (const token of tokensOf(text.slice(0, longestText))) {
    if (isUnclosed(token)) unclosed.push(token)
    const match = filterForm.exec(token)
    const key = match?.[1]?.toLowerCase() ?? ''
    const value = match?.[2]?.replace(/\\(["\\])/g, '$1') ?? match?.[3] ?? ''
    if (!match || value === '') {
      if (parseSearchWords(token).length > 0) words.push(token)
      else unknown.push(token)
      continue
    }
    const lower = value.toLowerCase()
    const nameKey = nameKeys[key]
    const order = querySorts.find((each) => each === lower) ?? usualOrder[lower]
    const lack = lackable.find((each) => each === lower)
    const days = key === 'created' || key === 'updated' ? boundsOf(value, parseDay, stepDay) : undefined
    const counts = key === 'comments' ? boundsOf(value, parseCount, (count, by) => count + by) : undefined
    const stateWord = key === 'is' || key === 'state' ? stateWords.find((each) => each === lower) : undefined
    const kind = key === 'is' ? kindWords[lower] : undefined
    const named: string[] | undefined = labelsOf[key]
    /** Takes the value of a filter that has one. */
    const take = <Name extends keyof Found>(name: Name, taken: Found[Name]): void => {
      if (found[name] === undefined || JSON.stringify(found[name]) === JSON.stringify(taken)) found[name] = taken
      else unknown.push(token)
    }
    if (nameKey) take(nameKey, value)
    else if (named && (named.includes(value) || named.length < maxLabels)) named.push(value)
    else if (stateWord) take('state', stateWord)
    else if (kind) take('kind', kind)
    else if (key === 'no' && lack) lacks.add(lack)
    else if (key === 'sort' && order) take('sort', order)
    else if (days) take(key as 'created' | 'updated', days)
    else if (counts) take('comments', counts)
    else unknown.push(token)
  }
  return {
    ...emptyQuery,
    labels: [...new Set(labels)],
    withoutLabels: [...new Set(withoutLabels)],
    lacks: [...lacks],
    ...found,
    words: words.join(' '),
    unknown,
    unclosed,
  }
}

const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value)

function writeBounds(key: string, bounds: Bounds<string | number> | undefined): readonly string[] {
  const { from, to } = bounds ?? {}
  if (from === undefined) return to === undefined ? [] : [`${key}:<=${to}`]
  if (to === undefined) return [`${key}:>=${from}`]
  return [from === to ? `${key}:${from}` : `${key}:${from}..${to}`]
}

/** Writes a query in its usual form; parsing it gives the same query, except for what is not understood. */
export function writeIssueQuery(query: IssueQuery): string {
  return [
    ...(query.kind === undefined ? [] : [query.kind === 'pulls' ? 'is:pr' : 'is:issue']),
    ...(query.state === 'all' ? [] : [`is:${query.state}`]),
    ...query.labels.map((label) => `label:${quoted(label)}`),
    ...query.withoutLabels.map((label) => `-label:${quoted(label)}`),
    ...query.lacks.map((lack) => `no:${lack}`),
    ...Object.entries(names).flatMap(([key, name]) => {
      const value = query[name]
      return value === undefined ? [] : [`${key}:${quoted(value)}`]
    }),
    ...writeBounds('created', query.created),
    ...writeBounds('updated', query.updated),
    ...writeBounds('comments', query.comments),
    ...(query.sort === emptyQuery.sort ? [] : [`sort:${query.sort}`]),
    ...(query.words === '' ? [] : [query.words]),
  ].join(' ')
}
