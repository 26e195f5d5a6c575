import { escapeHtml } from './html.ts'

/** A reference of a text to an object of the forge. */
export type Reference =
  | { readonly kind: 'issue'; readonly text: string; readonly href: string }
  | { readonly kind: 'keyword'; readonly text: string }
  | { readonly kind: 'mention'; readonly text: string; readonly name: string }
  | { readonly kind: 'commit'; readonly text: string; readonly oid: string; readonly href: string }
  | { readonly kind: 'named commit'; readonly text: string; readonly label: string; readonly href: string }

/** Mentions and commits that must be looked up before a text is rendered; each once, as written. */
export interface ReferenceCandidates {
  /** Names of users and organizations, and teams as `organization/team`, without `@`. */
  readonly mentions: readonly string[]
  /** Hexadecimal prefixes (7–64 digits) of commits of the repository. */
  readonly commits: readonly string[]
}

/** The candidates that exist, as written. */
export interface ResolvedReferences {
  readonly mentions: ReadonlySet<string>
  readonly commits: ReadonlySet<string>
}

/** Looks up all candidates of a text at once; it is not called without candidates. */
export type ResolveReferences = (candidates: ReferenceCandidates) => Promise<ResolvedReferences>

/** Most lookups of each kind for one text; further candidates stay text. */
export const maxReferenceLookups = 200

/** Most references of one text that become links; further ones stay text. Each takes a kilobyte until the text is rendered. */
export const maxReferences = 20_000

/** Words before a reference that close or reopen the issue on a merge. */
export interface ReferenceKeywords {
  readonly close: readonly string[]
  readonly reopen: readonly string[]
}

/** The defaults of `[repository.pull-request].CLOSE_KEYWORDS` and `REOPEN_KEYWORDS`. */
export const defaultKeywords: ReferenceKeywords = {
  close: ['close', 'closes', 'closed', 'fix', 'fixes', 'fixed', 'resolve', 'resolves', 'resolved'],
  reopen: ['reopen', 'reopens', 'reopened'],
}

export interface ReferenceRules {
  /** Address of the instance without a trailing slash. */
  readonly rootUrl: string
  /** The repository the text belongs to, `owner/name`. */
  readonly repository?: string
  /** Whether `#1`, `!1` and keywords are references (mode `comment`). */
  readonly numbers: boolean
  readonly keywords: ReferenceKeywords
}

const shortLength = 10

const name = '[A-Za-z0-9][\\w.-]{0,99}'
const crossReference =
  `(?<![\\w/.@#!-])(?<repository>${name}/${name})` +
  '(?:(?<crossMark>[#!])(?<crossIndex>\\d{1,18})|@(?<crossOid>[0-9a-f]{7,64}))(?![\\w-])'
const numberReference = '(?<![\\p{L}\\p{N}_#!&/])(?<mark>[#!])(?<index>\\d{1,18})(?![\\p{L}\\p{N}_-])'
const mentionName = '[A-Za-z0-9](?:[\\w.-]{0,98}[A-Za-z0-9_])?'
// `@name@server` names an account of another server, and is no mention of the account with that name here.
const mention = `(?<![\\p{L}\\p{N}_@/.-])@(?<name>${mentionName}(?:/${mentionName})?)(?![\\w]|[@/]\\w)`
const commit = '(?<![\\p{L}\\p{N}_/@#.:-])(?<oid>[0-9a-f]{7,64})(?![\\p{L}\\p{N}_/-]|\\.[\\p{L}\\p{N}])'
const anyReference = new RegExp(`${crossReference}|${numberReference}|${mention}|${commit}`, 'gu')

/** Returns the keyword at the end of the text before a reference, which may be followed by a colon. */
function keywordBefore(before: string, keywords: ReferenceKeywords): string | undefined {
  const word = /(?:^|[^\p{L}\p{N}_])([\p{L}]{2,30}):?[ \t]+$/u.exec(before.slice(-40))?.[1]
  if (word === undefined) return undefined
  const lower = word.toLowerCase()
  return keywords.close.includes(lower) || keywords.reopen.includes(lower) ? word : undefined
}

/** Plain text or a reference. */
export type TextSegment = string | Reference

/**
 * Splits a plain text without markup into text and references. Mentions and bare commits become links only after a lookup. The
 * grammar is that of the forge, which no library has; its expressions have bounded repetitions.
 * @param most most references; further ones stay text
 */
export function findReferences(text: string, rules: ReferenceRules, most = maxReferences): readonly TextSegment[] {
  if (most <= 0 || !/[#!@]|[0-9a-f]{7}/.test(text)) return [text]
  const segments: TextSegment[] = []
  let from = 0
  let left = most
  for (const match of text.matchAll(anyReference)) {
    const reference = toReference(match, rules)
    if (reference === undefined) continue
    if (left-- === 0) break
    const before = text.slice(from, match.index)
    const keyword = reference.kind === 'issue' && rules.numbers ? keywordBefore(before, rules.keywords) : undefined
    if (keyword === undefined) {
      segments.push(before)
    } else {
      const at = before.lastIndexOf(keyword)
      segments.push(before.slice(0, at), { kind: 'keyword', text: keyword }, before.slice(at + keyword.length))
    }
    segments.push(reference)
    from = match.index + match[0].length
  }
  segments.push(text.slice(from))
  return segments.filter((segment) => segment !== '')
}

function toReference(match: RegExpMatchArray, rules: ReferenceRules): Reference | undefined {
  const { repository, crossMark, crossIndex, crossOid, mark, index, name, oid } = match.groups ?? {}
  const text = match[0]
  if (repository !== undefined) {
    const base = `${rules.rootUrl}/${repository}`
    if (crossOid === undefined) return { kind: 'issue', text, href: `${base}/${section(crossMark)}/${crossIndex}` }
    const label = `${repository}@${crossOid.slice(0, shortLength)}`
    return { kind: 'named commit', text, label, href: `${base}/commit/${crossOid}` }
  }
  const base = rules.repository === undefined ? rules.rootUrl : `${rules.rootUrl}/${rules.repository}`
  if (mark !== undefined) {
    return rules.numbers ? { kind: 'issue', text, href: `${base}/${section(mark)}/${index}` } : undefined
  }
  if (name !== undefined) return { kind: 'mention', text, name }
  if (oid !== undefined && rules.repository !== undefined) {
    return { kind: 'commit', text, oid, href: `${base}/commit/${oid}` }
  }
  return undefined
}

const section = (mark: string | undefined): 'issues' | 'pulls' => (mark === '!' ? 'pulls' : 'issues')

/** Collects the candidates of references, up to the limit of lookups. */
export function candidatesOf(references: Iterable<Reference>): ReferenceCandidates {
  const mentions = new Set<string>()
  const commits = new Set<string>()
  for (const reference of references) {
    if (reference.kind === 'mention' && mentions.size < maxReferenceLookups) mentions.add(reference.name)
    if (reference.kind === 'commit' && commits.size < maxReferenceLookups) commits.add(reference.oid)
  }
  return { mentions: [...mentions], commits: [...commits] }
}

/** Joins the candidates of several texts, up to the limit of lookups. */
export const joinCandidates = (each: readonly ReferenceCandidates[]): ReferenceCandidates => ({
  mentions: [...new Set(each.flatMap(({ mentions }) => mentions))].slice(0, maxReferenceLookups),
  commits: [...new Set(each.flatMap(({ commits }) => commits))].slice(0, maxReferenceLookups),
})

/** Returns a reference as HTML: a link when it exists, otherwise its text. */
export function renderReference(reference: Reference, rules: ReferenceRules, resolved: ResolvedReferences): string {
  switch (reference.kind) {
    case 'issue':
      return `<a href="${escapeHtml(reference.href)}" class="ref-issue">${escapeHtml(reference.text)}</a>`
    case 'keyword':
      return `<span class="issue-keyword">${escapeHtml(reference.text)}</span>`
    case 'mention':
      if (!resolved.mentions.has(reference.name)) return escapeHtml(reference.text)
      return `<a href="${escapeHtml(rules.rootUrl)}/${mentionPath(reference.name)}" class="mention">${reference.text}</a>`
    case 'commit':
      if (!resolved.commits.has(reference.oid)) return escapeHtml(reference.text)
      return `<a href="${escapeHtml(reference.href)}"><code>${reference.oid.slice(0, shortLength)}</code></a>`
    case 'named commit':
      return `<a href="${escapeHtml(reference.href)}">${escapeHtml(reference.label)}</a>`
  }
}

/** Returns the path of an account's page, or of a team's page for `organization/team`. */
function mentionPath(name: string): string {
  const [owner = '', team] = name.split('/')
  return team === undefined ? owner : `org/${owner}/teams/${team}`
}

/**
 * Returns a link with a short label for a bare address of this instance (issue, pull request, comment, commit, or file at a
 * commit); undefined for any other address.
 */
export function shortenAddress(address: string, rules: ReferenceRules): string | undefined {
  if (!address.startsWith(`${rules.rootUrl}/`)) return undefined
  const path = address.slice(rules.rootUrl.length + 1)
  const parts =
    /^([\w.-]+\/[\w.-]+)\/(issues|pulls|commit|src\/commit)\/([0-9a-f]{1,64})(\/[^?#]*)?(\?[^#]*)?(#[\w-]*)?$/.exec(
      path,
    )
  if (parts === null) return undefined
  const [, repository = '', page = '', id = '', rest = '', query = '', fragment = ''] = parts
  if (query !== '') return undefined
  const own = repository.toLowerCase() === rules.repository?.toLowerCase()
  const link = (html: string, classes = ''): string => `<a href="${escapeHtml(address)}"${classes}>${html}</a>`
  if (page === 'issues' || page === 'pulls') {
    if (!/^\d{1,18}$/.test(id) || rest !== '') return undefined
    const label = `${own ? '' : repository}${page === 'pulls' ? '!' : '#'}${id}`
    const comment = /^#issue(?:comment)?-/.test(fragment) ? ' (comment)' : ''
    return link(escapeHtml(label) + comment, ' class="ref-issue"')
  }
  if (id.length < 7) return undefined
  const label = `${own ? '' : `${repository}@`}${id.slice(0, shortLength)}${page === 'commit' ? '' : rest}`
  if (page === 'commit' && rest !== '') return undefined
  const lines = /^#L\d+(?:-L?\d+)?$/.test(fragment) ? ` (${fragment.slice(1)})` : ''
  return link(`<code>${escapeHtml(label + lines)}</code>`)
}
