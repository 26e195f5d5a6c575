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

/** What is counted: each kind is a part of the whole that no other part holds. Features declare those they write. */
export type UsageKind =
  | 'repos:public'
  | 'repos:private'
  | 'lfs'
  | 'attachments:issues'
  | 'attachments:releases'
  | 'artifacts'
  | 'packages'

/** Bytes that an account uses, by kind; what is missing is nothing. */
export type QuotaUsage = { readonly [Kind in UsageKind]?: number }

/** A limit in bytes for the sum of its subjects; -1 is no limit, other negative numbers always refuse. */
export interface QuotaRule {
  readonly limit: number
  readonly subjects: readonly QuotaSubject[]
}

/** Rules that have to stand together. */
export interface QuotaGroup {
  readonly rules: readonly QuotaRule[]
}

const repos: readonly UsageKind[] = ['repos:public', 'repos:private']
const attachments: readonly UsageKind[] = ['attachments:issues', 'attachments:releases']
const assets: readonly UsageKind[] = [...attachments, 'artifacts', 'packages']

/** The kinds that each subject is the sum of. Wikis are not counted. */
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

/** Bytes used of one subject. */
export const usedOf = (subject: QuotaSubject, usage: QuotaUsage): number =>
  kindsOf[subject].reduce((sum, kind) => sum + (usage[kind] ?? 0), 0)

/** A rule stands when the sum of its subjects is at most its limit; a subject named twice counts twice. */
function ruleStands(rule: QuotaRule, usage: QuotaUsage): boolean {
  const used = rule.subjects.reduce((sum, subject) => sum + usedOf(subject, usage), 0)
  return rule.limit === -1 || used <= rule.limit
}

/** Whether all that one subject counts is counted by another as well. */
const isPartOf = (part: QuotaSubject, whole: QuotaSubject): boolean =>
  kindsOf[part].every((kind) => kindsOf[whole].includes(kind))

/**
 * The rules that a group is judged by: those that name the subject or a whole that it is a part of, and where none names
 * it those that name its parts; all of them in a group that says nothing about it (written contract, quota model, rule 2).
 */
function rulesAbout(rules: readonly QuotaRule[], asked: QuotaSubject): readonly QuotaRule[] {
  const isNamed = rules.some(({ subjects }) => subjects.includes(asked))
  const about = rules.filter(({ subjects }) =>
    subjects.some((each) => isPartOf(asked, each) || (!isNamed && !isWiki(each) && isPartOf(each, asked))),
  )
  return about.length > 0 ? about : rules
}

/**
 * Whether an account is within quota for a subject: one of its groups stands, or it has none. A group stands when all of its
 * rules about the subject stand (contract, quota: evaluation); wikis are always within.
 */
export const withinQuota = (groups: readonly QuotaGroup[], subject: QuotaSubject, usage: QuotaUsage): boolean =>
  isWiki(subject) ||
  groups.length === 0 ||
  groups.some(({ rules }) => rulesAbout(rules, subject).every((rule) => ruleStands(rule, usage)))
