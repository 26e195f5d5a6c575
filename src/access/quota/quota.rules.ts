/** Subjects of quotas. Source: the quota model of the written contract; `size:assets:wiki` is an alias. */
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

/** Kinds of usage. They do not overlap. Features declare the kinds that they write. */
export type UsageKind =
  | 'repos:public'
  | 'repos:private'
  | 'lfs'
  | 'attachments:issues'
  | 'attachments:releases'
  | 'artifacts'
  | 'packages'

/** Bytes that an account uses by kind. Absent: 0. */
export type QuotaUsage = { readonly [Kind in UsageKind]?: number }

/** A limit in bytes for the sum of its subjects; -1 is no limit, other negative numbers always refuse. */
export interface QuotaRule {
  readonly limit: number
  readonly subjects: readonly QuotaSubject[]
}

/** A group of rules that must all hold. */
export interface QuotaGroup {
  readonly rules: readonly QuotaRule[]
}

const repos: readonly UsageKind[] = ['repos:public', 'repos:private']
const attachments: readonly UsageKind[] = ['attachments:issues', 'attachments:releases']
const assets: readonly UsageKind[] = [...attachments, 'artifacts', 'packages']

/** The kinds that each subject sums. Wikis do not count. */
const kindsOf: Readonly<Record<QuotaSubject, readonly UsageKind[]>> = {
  'size:all': [...repos, 'lfs', ...assets],
  'size:repos:all': repos,
  'size:repos:public': ['repos:public'],
  'size:repos:private': ['repos:private'],
  'size:git:all': [...repos, 'lfs'],
  'size:git:lfs': ['lfs'],
  'size:assets:all': assets,
  'size:assets:attachments:all': attachments,
  'size:assets:attachments:issues': ['attachments:issues'],
  'size:assets:attachments:releases': ['attachments:releases'],
  'size:assets:artifacts': ['artifacts'],
  'size:assets:packages:all': ['packages'],
  'size:wiki': [],
  'size:assets:wiki': [],
}

const isWiki = (subject: QuotaSubject): boolean => subject === 'size:wiki' || subject === 'size:assets:wiki'

/**
 * Returns the subjects that an operation is judged by: its own, and always the repositories (written contract, quota model:
 * enforcement). Changes of wikis are judged by none.
 */
export const guardsOf = (subject: QuotaSubject): readonly QuotaSubject[] =>
  isWiki(subject) ? [] : [...new Set<QuotaSubject>([subject, 'size:repos:all'])]

/** Returns the bytes used of a subject. */
export const usedOf = (subject: QuotaSubject, usage: QuotaUsage): number =>
  kindsOf[subject].reduce((sum, kind) => sum + (usage[kind] ?? 0), 0)

/** Returns whether the sum of a rule's subjects is at most its limit. A repeated subject counts twice. */
function ruleStands(rule: QuotaRule, usage: QuotaUsage): boolean {
  const used = rule.subjects.reduce((sum, subject) => sum + usedOf(subject, usage), 0)
  return rule.limit === -1 || used <= rule.limit
}

/** Returns whether a subject contains all kinds of another. */
const isPartOf = (part: QuotaSubject, whole: QuotaSubject): boolean =>
  kindsOf[part].every((kind) => kindsOf[whole].includes(kind))

/**
 * Returns the rules of a group that decide about a subject: rules that name it or a subject that contains it, and
 * where none names it also rules that name its parts. A group without such a rule says nothing about the subject and
 * stands (behaviour, quota: evaluation).
 */
function rulesAbout(rules: readonly QuotaRule[], subject: QuotaSubject): readonly QuotaRule[] {
  const isNamed = rules.some(({ subjects }) => subjects.includes(subject))
  return rules.filter(({ subjects }) =>
    subjects.some((each) => isPartOf(subject, each) || (!isNamed && !isWiki(each) && isPartOf(each, subject))),
  )
}

/**
 * Returns whether an account is within quota for a subject: it has no group, or all rules of one of its groups
 * about the subject hold (contract, quota: evaluation). Wikis are always within quota.
 */
export const withinQuota = (groups: readonly QuotaGroup[], subject: QuotaSubject, usage: QuotaUsage): boolean =>
  isWiki(subject) ||
  groups.length === 0 ||
  groups.some(({ rules }) => rulesAbout(rules, subject).every((rule) => ruleStands(rule, usage)))
