import { textRuns } from '../markup/text-runs.ts'

/** What a reference to an issue promises to do to it. */
export type PromisedAction = 'none' | 'closes' | 'reopens'

/** An issue that a text names; without `repository` one of the repository that the text belongs to. */
export interface NamedIssue {
  /** `owner/name` in lower case. */
  readonly repository: string | undefined
  readonly index: number
  readonly action: PromisedAction
  /** What follows as a time to be tracked (`#1 @1h30m`), in seconds; only in messages of commits. */
  readonly seconds: number
}

/** A person, or with `team` a team of an organization; in lower case. */
export interface NamedAccount {
  readonly name: string
  readonly team: string | undefined
}

export interface Named {
  /** Each issue once; of several promises the last one. */
  readonly issues: readonly NamedIssue[]
  readonly accounts: readonly NamedAccount[]
}

export interface ParseRules {
  /** Address of the instance, with a slash at its end. */
  readonly rootUrl: string
  readonly closeKeywords: readonly string[]
  readonly reopenKeywords: readonly string[]
}

/** Most issues and most accounts that one text may name; what is beyond stays text. */
const maxNamed = 100

const name = '[A-Za-z0-9_](?:[\\w.-]*[A-Za-z0-9_])?'
const before = '(?<=^|[\\s(\\["\'])'
const after = '(?=$|[\\s)\\]"\']|[:;,.!?]+(?:$|\\s))'
const issueForm = new RegExp(`${before}(?:(?<repository>${name}/${name}))?[#!](?<index>\\d{1,9})${after}`, 'g')
const accountForm = new RegExp(
  `(?<=^|[\\s(\\[])@(?<name>${name})(?:/(?<team>${name}))?(?=$|[\\s)\\]']|[:;,.!?]+(?:$|\\s))`,
  'g',
)
const timeForm = /^ +@(?<text>(?:\d+(?:\.\d+)?(?:mo|[mhdw]))+)(?=$|[\s)\]"':;,.!?])/

const hour = 3600
/** Days and weeks are those of work (contract, issues: keywords). */
const unitSeconds: Readonly<Record<string, number>> = { m: 60, h: hour, d: 8 * hour, w: 40 * hour, mo: 160 * hour }

const secondsOf = (text: string): number =>
  Math.round(
    [...text.matchAll(/(\d+(?:\.\d+)?)(mo|[mhdw])/g)].reduce(
      (sum, [, amount, unit]) => sum + Number(amount) * (unitSeconds[unit as string] as number),
      0,
    ),
  )

/** The word directly before a reference: one space after it, perhaps a colon, and a space, bracket or nothing before it. */
function actionBefore(text: string, rules: ParseRules): PromisedAction {
  const word = /(?:^|[\s([])([\p{L}]{2,40}):? $/u.exec(text.slice(-60))?.[1]?.toLowerCase()
  if (word === undefined) return 'none'
  if (rules.closeKeywords.some((each) => each.toLowerCase() === word)) return 'closes'
  return rules.reopenKeywords.some((each) => each.toLowerCase() === word) ? 'reopens' : 'none'
}

class Collector {
  readonly issues = new Map<string, NamedIssue>()
  readonly accounts = new Map<string, NamedAccount>()

  addIssue(found: NamedIssue): void {
    const key = `${found.repository ?? ''}#${found.index}`
    const known = this.issues.get(key)
    if (!known && this.issues.size >= maxNamed) return
    const action = found.action === 'none' ? (known?.action ?? 'none') : found.action
    this.issues.set(key, { ...found, action, seconds: found.seconds || (known?.seconds ?? 0) })
  }

  addAccount(found: NamedAccount): void {
    if (this.accounts.size < maxNamed) this.accounts.set(`${found.name}/${found.team ?? ''}`, found)
  }

  get named(): Named {
    return { issues: [...this.issues.values()], accounts: [...this.accounts.values()] }
  }
}

function collectText(text: string, rules: ParseRules, into: Collector): void {
  if (/[#!]\d/.test(text)) {
    for (const match of text.matchAll(issueForm)) {
      const { repository, index } = match.groups as { repository?: string; index: string }
      const time = timeForm.exec(text.slice(match.index + match[0].length))?.groups?.['text']
      into.addIssue({
        repository: repository?.toLowerCase(),
        index: Number(index),
        action: actionBefore(text.slice(0, match.index), rules),
        seconds: time === undefined ? 0 : secondsOf(time),
      })
    }
  }
  if (!text.includes('@')) return
  for (const match of text.matchAll(accountForm)) {
    const { name: account, team } = match.groups as { name: string; team?: string }
    into.addAccount({ name: account.toLowerCase(), team: team?.toLowerCase() })
  }
}

/** The issue that an address of this instance leads to; relative ones begin at its root. */
function collectLink(href: string, rules: ParseRules, into: Collector): void {
  const root = new URL(rules.rootUrl)
  const url = URL.parse(href, root)
  if (!url || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return
  const path = url.pathname.slice(root.pathname.length)
  const parts = /^([\w.-]+\/[\w.-]+)\/(?:issues|pulls)\/(\d{1,9})\/?$/.exec(path)
  if (!parts || (!href.includes('://') && !href.startsWith('/'))) return
  into.addIssue({ repository: (parts[1] as string).toLowerCase(), index: Number(parts[2]), action: 'none', seconds: 0 })
}

/**
 * Issues and accounts that plain texts and a Markdown text name. Not looked at: code, comments of HTML, and the words
 * of links. Source: the contract's forms of cross-references (issues, cross-references and keywords).
 */
export function parseReferences(
  input: { readonly plain?: readonly string[]; readonly markdown?: string },
  rules: ParseRules,
): Named {
  const into = new Collector()
  for (const text of input.plain ?? []) collectText(text, rules, into)
  const { markdown = '' } = input
  if (/[#!@]|issues\/|pulls\//.test(markdown)) {
    const { texts, links } = textRuns(markdown)
    for (const text of texts) collectText(text, rules, into)
    for (const link of links) collectLink(link, rules, into)
  }
  return into.named
}
