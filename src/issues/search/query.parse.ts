/**
 * The query language of issue lists, as people know it: `is:open label:"good first issue" author:me no:milestone
 * sort:updated crack`. Words that are no filters are searched in the texts.
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

export interface IssueQuery {
  readonly state: 'open' | 'closed' | 'all'
  /** Names; the issue has all of them. */
  readonly labels: readonly string[]
  readonly lacks: readonly Lack[]
  readonly milestone?: string | undefined
  /** Login names; `me` stands for the person who asks. */
  readonly author?: string | undefined
  readonly assignee?: string | undefined
  readonly mentions?: string | undefined
  readonly reviewRequested?: string | undefined
  readonly reviewedBy?: string | undefined
  /** Days such as `2026-11-28`; the last change is not before, or not after. */
  readonly since?: string | undefined
  readonly before?: string | undefined
  readonly sort: QuerySort
  /** Words and phrases in the form of `parseSearchWords`. */
  readonly words: string
  /** Filters that are not understood, as written. */
  readonly unknown: readonly string[]
}

export const emptyQuery: IssueQuery = {
  state: 'all',
  labels: [],
  lacks: [],
  sort: 'created-desc',
  words: '',
  unknown: [],
}

/** The query of a list when nobody has asked for another. */
export const usualQuery: IssueQuery = { ...emptyQuery, state: 'open' }

const longestText = 1000
/** Most labels of one query; further ones are ignored. */
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

/** The order of a key without a direction. */
const usualOrder: Readonly<Record<string, QuerySort>> = {
  created: 'created-desc',
  newest: 'created-desc',
  oldest: 'created-asc',
  updated: 'updated-desc',
  comments: 'comments-desc',
  due: 'due-asc',
}

const filterForm = /^([a-z-]+):(?:"([^"]*)"?|(\S+))$/i

/** Splits at spaces outside of quotation marks. */
const tokensOf = (text: string): readonly string[] => text.match(/(?:[^\s"]|"[^"]*(?:"|$))+/g) ?? []

/** Parses a query. It understands every text; what is no filter is a word. */
export function parseIssueQuery(text: string): IssueQuery {
  const labels: string[] = []
  const lacks = new Set<Lack>()
  const words: string[] = []
  const unknown: string[] = []
  const found: { -readonly [Key in NameKey | 'since' | 'before']?: string } = {}
  let state: IssueQuery['state'] = 'all'
  let sort: QuerySort = emptyQuery.sort
  for (const token of tokensOf(text.slice(0, longestText))) {
    const match = filterForm.exec(token)
    const key = match?.[1]?.toLowerCase() ?? ''
    const value = match?.[2] ?? match?.[3] ?? ''
    if (!match || value === '') {
      words.push(token)
      continue
    }
    const lower = value.toLowerCase()
    const nameKey = (names as Readonly<Record<string, NameKey>>)[key]
    const order = querySorts.find((each) => each === lower) ?? usualOrder[lower]
    const lack = lackable.find((each) => each === lower)
    const range = /^(>=?|<=?)(\d{4}-\d{2}-\d{2})$/.exec(value)
    if (nameKey) found[nameKey] = value
    else if (key === 'label') labels.push(value)
    else if ((key === 'is' || key === 'state') && (lower === 'open' || lower === 'closed')) state = lower
    else if (key === 'is' && ['issue', 'pr', 'pull', 'all'].includes(lower)) continue
    else if (key === 'no' && lack) lacks.add(lack)
    else if (key === 'sort' && order) sort = order
    else if (key === 'updated' && range?.[2]) found[range[1]?.startsWith('>') ? 'since' : 'before'] = range[2]
    else unknown.push(token)
  }
  return {
    state,
    labels: [...new Set(labels)].slice(0, maxLabels),
    lacks: [...lacks],
    ...found,
    sort,
    words: words.join(' '),
    unknown,
  }
}

const quoted = (value: string): string => (/[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

/** Writes a query in its usual form; parsing it gives the same query, except for what is not understood. */
export function writeIssueQuery(query: IssueQuery): string {
  return [
    ...(query.state === 'all' ? [] : [`is:${query.state}`]),
    ...query.labels.map((label) => `label:${quoted(label)}`),
    ...query.lacks.map((lack) => `no:${lack}`),
    ...Object.entries(names).flatMap(([key, name]) => {
      const value = query[name]
      return value === undefined ? [] : [`${key}:${quoted(value)}`]
    }),
    ...(query.since === undefined ? [] : [`updated:>=${query.since}`]),
    ...(query.before === undefined ? [] : [`updated:<=${query.before}`]),
    ...(query.sort === emptyQuery.sort ? [] : [`sort:${query.sort}`]),
    ...(query.words === '' ? [] : [query.words]),
  ].join(' ')
}
