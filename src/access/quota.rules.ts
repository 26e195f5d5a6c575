/** What a quota is about. Source: the quota model of the written contract; `size:assets:wiki` is a second name. */
export const quotaSubjects = [
  'size:all',
  'size:repos:all',
  'size:repos:public',
  'size:repos:private',
  'size:git:all',
  'size:git:lfs',
  'size:assets:all',
  'size:assets:attachments:all',
  'size:assets:attachments:issues',
  'size:assets:attachments:releases',
  'size:assets:artifacts',
  'size:assets:packages:all',
  'size:wiki',
  'size:assets:wiki',
] as const
export type QuotaSubject = (typeof quotaSubjects)[number]

/** Bytes that an account uses, by kind; the rest are sums of these. */
export interface QuotaUsage {
  readonly publicRepos: number
  readonly privateRepos: number
  readonly lfs: number
  readonly issueAttachments: number
  readonly releaseAttachments: number
  readonly artifacts: number
  readonly packages: number
}

/** A limit in bytes for the sum of its subjects; -1 is no limit, other negative numbers always refuse. */
export interface QuotaRule {
  readonly limit: number
  readonly subjects: readonly QuotaSubject[]
}

/** Rules that have to stand together. */
export interface QuotaGroup {
  readonly rules: readonly QuotaRule[]
  /** The rules count for every subject, whatever they name: the total that the instance sets for all. */
  readonly isForAll?: boolean
}

type WholeSubject = 'size:all' | 'size:repos:all' | 'size:assets:all' | 'size:assets:attachments:all'

/** What is judged by its parts where no rule names it (contract, quota: evaluation). */
const parts: Readonly<Record<WholeSubject, readonly QuotaSubject[]>> = {
  'size:all': ['size:repos:all', 'size:git:lfs', 'size:assets:all'],
  'size:repos:all': ['size:repos:public', 'size:repos:private'],
  'size:assets:all': ['size:assets:attachments:all', 'size:assets:artifacts', 'size:assets:packages:all'],
  'size:assets:attachments:all': ['size:assets:attachments:issues', 'size:assets:attachments:releases'],
}

const partsOf = (subject: QuotaSubject): readonly QuotaSubject[] =>
  (parts as { readonly [Subject in QuotaSubject]?: readonly QuotaSubject[] })[subject] ?? []

const isWiki = (subject: QuotaSubject): boolean => subject === 'size:wiki' || subject === 'size:assets:wiki'

const sumOf = (subjects: readonly QuotaSubject[], usage: QuotaUsage): number =>
  subjects.reduce((sum, subject) => sum + usedOf(subject, usage), 0)

/** Bytes used of one subject. Wikis are not counted. */
export function usedOf(subject: QuotaSubject, usage: QuotaUsage): number {
  switch (subject) {
    case 'size:all':
    case 'size:repos:all':
    case 'size:assets:all':
    case 'size:assets:attachments:all':
      return sumOf(parts[subject], usage)
    case 'size:git:all':
      return sumOf(['size:repos:all', 'size:git:lfs'], usage)
    case 'size:repos:public':
      return usage.publicRepos
    case 'size:repos:private':
      return usage.privateRepos
    case 'size:git:lfs':
      return usage.lfs
    case 'size:assets:attachments:issues':
      return usage.issueAttachments
    case 'size:assets:attachments:releases':
      return usage.releaseAttachments
    case 'size:assets:artifacts':
      return usage.artifacts
    case 'size:assets:packages:all':
      return usage.packages
    case 'size:wiki':
    case 'size:assets:wiki':
      return 0
  }
}

/** A rule stands when the sum of its subjects is at most its limit; a subject named twice counts twice. */
const ruleStands = (rule: QuotaRule, usage: QuotaUsage): boolean =>
  rule.limit === -1 || sumOf(rule.subjects, usage) <= rule.limit

/**
 * Whether a group stands for a subject: by its rules that name the subject, where none does by those that name parts
 * of it; undefined when it says nothing about the subject (contract, quota: evaluation).
 */
function judgementOf(group: QuotaGroup, subject: QuotaSubject, usage: QuotaUsage): boolean | undefined {
  const about = group.isForAll ? group.rules : group.rules.filter((rule) => rule.subjects.includes(subject))
  if (about.length > 0) return about.every((rule) => ruleStands(rule, usage))
  const ofParts = partsOf(subject)
    .map((part) => judgementOf(group, part, usage))
    .filter((each) => each !== undefined)
  return ofParts.length === 0 ? undefined : ofParts.every(Boolean)
}

/**
 * Whether an account is within quota: one of its groups stands, or it has none. A group that says nothing about the
 * subject stands, and wikis are always within.
 */
export function withinQuota(groups: readonly QuotaGroup[], subject: QuotaSubject, usage: QuotaUsage): boolean {
  if (isWiki(subject) || groups.length === 0) return true
  return groups.some((group) => judgementOf(group, subject, usage) ?? true)
}
