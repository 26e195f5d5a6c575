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
}

/** Subjects that a subject is made of. */
const parts: { readonly [Subject in QuotaSubject]?: readonly QuotaSubject[] } = {
  'size:all': ['size:repos:all', 'size:git:lfs', 'size:assets:all'],
  'size:repos:all': ['size:repos:public', 'size:repos:private'],
  'size:git:all': ['size:repos:all', 'size:git:lfs'],
  'size:assets:all': ['size:assets:attachments:all', 'size:assets:artifacts', 'size:assets:packages:all'],
  'size:assets:attachments:all': ['size:assets:attachments:issues', 'size:assets:attachments:releases'],
}

function includes(whole: QuotaSubject, part: QuotaSubject): boolean {
  return whole === part || (parts[whole] ?? []).some((each) => includes(each, part))
}

/** Bytes used of one subject. Wikis are not counted. */
export function usedOf(subject: QuotaSubject, usage: QuotaUsage): number {
  switch (subject) {
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
    default:
      return (parts[subject] ?? []).reduce((sum, part) => sum + usedOf(part, usage), 0)
  }
}

/** A rule stands when the sum of its subjects is at most its limit; a subject named twice counts twice. */
function ruleStands(rule: QuotaRule, usage: QuotaUsage): boolean {
  if (rule.limit === -1) return true
  return rule.subjects.reduce((sum, subject) => sum + usedOf(subject, usage), 0) <= rule.limit
}

/**
 * Whether a group stands for a subject: all of its rules that name the subject or a whole it belongs to; where none
 * does, those that name parts of it. A group that says nothing about it stands (contract, quota: evaluation).
 */
function groupStands(group: QuotaGroup, subject: QuotaSubject, usage: QuotaUsage): boolean {
  const about = group.rules.filter((rule) => rule.subjects.some((each) => includes(each, subject)))
  const relevant =
    about.length > 0 ? about : group.rules.filter((rule) => rule.subjects.some((each) => includes(subject, each)))
  return relevant.every((rule) => ruleStands(rule, usage))
}

/** Whether an account is within quota: one of its groups stands, or it has none. Wikis always are. */
export function withinQuota(groups: readonly QuotaGroup[], subject: QuotaSubject, usage: QuotaUsage): boolean {
  if (subject === 'size:wiki' || subject === 'size:assets:wiki' || groups.length === 0) return true
  return groups.some((group) => groupStands(group, subject, usage))
}
