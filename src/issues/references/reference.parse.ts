import type { TextRuns } from '../../markup/text-runs.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'
import { wordTable } from '../../lib/word-table.ts'

/** The effect of a reference on the issue. */
export type PromisedAction = 'none' | 'closes' | 'reopens'

/** An issue that a text names; without `repository`, an issue of the text's own repository. */
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

/** Most issues, and most accounts, that one text may name; further ones stay text. */
const maxNamed = 100

/** Most matches of one form in one text. */
const maxMatches = 1000

/** Most characters of a plain text that are parsed. */
const maxLength = 1_000_000

const name = '[A-Za-z0-9_](?:[\\w.-]*[A-Za-z0-9_])?'
const before = '(?<=^|[\\s(\\["\'])'
const after = '(?=$|[\\s)\\]"\']|[:;,.!?]+(?:$|\\s))'
const issueForm = new RegExp(`${before}(?:(?<repository>${name}/${name}))?[#!](?<index>\\d{1,9})${after}`, 'g')
const accountForm = new RegExp(
  `(?<=^|[\\s(\\[])@(?<name>${name})(?:/(?<team>${name}))?(?=$|[\\s)\\]']|[:;,.!?]+(?:$|\\s))`,
  'g',
)
const addressForm = new RegExp(`${before}https?://[^\\s()[\\]"'<>]+`, 'gi')
const timeForm = /^ +@(?<text>(?:\d+(?:\.\d+)?(?:mo|[mhdw]))+)(?=$|[\s)\]"':;,.!?])/

const hour = 3600
/** Days and weeks are working days and weeks (contract, issues: keywords). */
const unitSeconds = wordTable<number>({ m: 60, h: hour, d: 8 * hour, w: 40 * hour, mo: 160 * hour })

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

/** Returns the first matches of a form. */
function matchesIn(text: string, form: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = []
  for (const match of text.matchAll(form)) {
    found.push(match)
    if (found.length >= maxMatches) break
  }
  return found
}

/** A name in a text, and its position. */
interface ReferenceMatch {
  readonly at: number
  readonly end: number
  readonly issue: Pick<NamedIssue, 'repository' | 'index'>
}

/** Returns the pattern of full addresses of issues on this instance, without trailing punctuation. */
function addressesIn(text: string, rules: ParseRules): ReferenceMatch[] {
  return matchesIn(text, addressForm).flatMap(({ 0: found, index }) => {
    const address = trimTrailing(found, ':;,.!?')
    const issue = issueOfAddress(address, rules)
    return issue === undefined ? [] : [{ at: index, end: index + address.length, issue }]
  })
}

const numbersIn = (text: string): ReferenceMatch[] =>
  matchesIn(text, issueForm).map((match) => {
    const { repository, index } = match.groups as { repository?: string; index: string }
    const issue = { repository: repository?.toLowerCase(), index: Number(index) }
    return { at: match.index, end: match.index + match[0].length, issue }
  })

/** Collects the issues that a text names, and returns the text without addresses. */
function collectIssues(whole: string, rules: ParseRules, into: Collector): string {
  const hasAddresses = whole.includes('://')
  // Numbers and names inside of an address are part of it.
  const text = hasAddresses ? whole.replace(addressForm, (found) => '_'.repeat(found.length)) : whole
  const spans = [
    ...(hasAddresses ? addressesIn(whole, rules) : []),
    ...(/[#!]\d/.test(text) ? numbersIn(text) : []),
  ].toSorted((one, other) => one.at - other.at)
  for (const { at, end, issue } of spans) {
    const time = timeForm.exec(whole.slice(end))?.groups?.['text']
    const seconds = time === undefined ? 0 : secondsOf(time)
    into.addIssue({ ...issue, action: actionBefore(whole.slice(0, at), rules), seconds })
  }
  return text
}

function collectAccounts(text: string, into: Collector): void {
  for (const match of matchesIn(text, accountForm)) {
    const { name: account, team } = match.groups as { name: string; team?: string }
    into.addAccount({ name: account.toLowerCase(), team: team?.toLowerCase() })
  }
}

/** Returns the issue at an address of this instance; a relative address begins at its root. */
function issueOfAddress(href: string, rules: ParseRules): ReferenceMatch['issue'] | undefined {
  const root = new URL(rules.rootUrl)
  const url = URL.parse(href, root)
  if (!url || url.origin !== root.origin || !url.pathname.startsWith(root.pathname)) return undefined
  const path = url.pathname.slice(root.pathname.length)
  const parts = /^([\w.-]+\/[\w.-]+)\/(?:issues|pulls)\/(\d{1,9})\/?$/.exec(path)
  if (!parts || (!href.includes('://') && !href.startsWith('/'))) return undefined
  return { repository: (parts[1] as string).toLowerCase(), index: Number(parts[2]) }
}

/**
 * Returns the issues that plain and Markdown texts name, and the accounts that Markdown texts name; a title mentions nobody.
 * The parser skips code, HTML comments and the words of links. Source: contract (issues, cross-references and keywords).
 */
export function parseReferences(
  input: { readonly plain?: readonly string[]; readonly markdown?: readonly TextRuns[] },
  rules: ParseRules,
): Named {
  const into = new Collector()
  for (const text of input.plain ?? []) collectIssues(text.slice(0, maxLength), rules, into)
  // Each text is parsed alone, so an unclosed block of one does not reach into the next.
  for (const { text, links } of input.markdown ?? []) {
    const rest = collectIssues(text, rules, into)
    if (rest.includes('@')) collectAccounts(rest, into)
    for (const link of links) {
      const issue = issueOfAddress(link, rules)
      // A link never closes or reopens an issue (contract, issues: keywords).
      if (issue !== undefined) into.addIssue({ ...issue, action: 'none', seconds: 0 })
    }
  }
  return into.named
}
