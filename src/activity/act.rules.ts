import type { ActKind, ActRow } from '../db/tables/activity.ts'
import type { IssueRow } from '../db/tables/issues.ts'

/** Characters of a comment that a feed shows. */
const maxExcerpt = 200

/** The beginning of a longer text. */
export const excerpt = (text: string): string => {
  if (text.length <= maxExcerpt) return text
  const cut = text.slice(0, maxExcerpt)
  // Half of a character is none.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** Kinds that name the issue or pull request by its title; others by what was said, if anything was. */
const titled: ReadonlySet<ActKind> = new Set([
  'create_issue',
  'create_pull_request',
  'merge_pull_request',
  'pull_request_ready_for_review',
])

/** What is told of an issue or pull request: its number and a text, with a bar between them (contract, users: feeds). */
export function issueContent(
  act: Pick<ActRow, 'kind'>,
  issue: Pick<IssueRow, 'index' | 'title'>,
  said: { readonly text: string; readonly reviewer: string },
): string {
  if (titled.has(act.kind)) return `${issue.index}|${issue.title}`
  if (act.kind === 'pull_review_dismissed') return `${issue.index}|${said.reviewer}|${excerpt(said.text)}`
  return `${issue.index}|${excerpt(said.text)}`
}

const secondsPerDay = 86_400

/** The seconds of a day, `YYYY-MM-DD` in the time zone of the server; undefined for what is no day, which is no filter. */
export function secondsOfDay(text: string | undefined): { readonly from: number; readonly before: number } | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '')
  if (!parts) return undefined
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const start = new Date(year, month - 1, day)
  // The thirtieth of February is no day, and neither is one of the years that `Date` reads as others.
  if (start.getFullYear() !== year || start.getMonth() !== month - 1 || start.getDate() !== day) return undefined
  // The next midnight: days on which clocks are changed are longer or shorter.
  return { from: start.getTime() / 1000, before: new Date(year, month - 1, day + 1).getTime() / 1000 }
}

/** Seconds of a cell of the heatmap, and how far back it goes (contract, users: heatmap). */
export const cellSeconds = 900
export const heatSeconds = 371 * secondsPerDay
