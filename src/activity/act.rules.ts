import type { ActKind, ActRow } from '../db/tables/activity.ts'
import type { IssueRow } from '../db/tables/issues.ts'

/** Largest number of characters of a comment in a feed. */
const maxExcerpt = 200

/** Returns a text, cut to `maxExcerpt` UTF-16 code units with an ellipsis. */
export const excerpt = (text: string): string => {
  if (text.length <= maxExcerpt) return text
  const cut = text.slice(0, maxExcerpt)
  // A surrogate pair is not cut.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

/** Kinds that show the title of the issue or pull request. Other kinds show the comment, if there is one. */
const titled: ReadonlySet<ActKind> = new Set([
  'create_issue',
  'create_pull_request',
  'merge_pull_request',
  'pull_request_ready_for_review',
])

/**
 * Returns the content of an activity about an issue or pull request: number and text, separated by a bar (contract,
 * users: feeds).
 */
export function issueContent(
  act: Pick<ActRow, 'kind'>,
  issue: Pick<IssueRow, 'index' | 'title'>,
  facts: { readonly text: string; readonly reviewer: string },
): string {
  if (titled.has(act.kind)) return `${issue.index}|${issue.title}`
  if (act.kind === 'pull_review_dismissed') return `${issue.index}|${facts.reviewer}|${excerpt(facts.text)}`
  return `${issue.index}|${excerpt(facts.text)}`
}

const secondsPerDay = 86_400

/** Returns the Unix seconds of a day `YYYY-MM-DD` in the server's time zone. Undefined: the text is not a day. */
export function secondsOfDay(text: string | undefined): { readonly from: number; readonly before: number } | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? '')
  if (!parts) return undefined
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const start = new Date(year, month - 1, day)
  // `Date` accepts days such as February 30 and remaps some years.
  if (start.getFullYear() !== year || start.getMonth() !== month - 1 || start.getDate() !== day) return undefined
  // The next midnight: days with a clock change have 23 or 25 hours.
  return { from: start.getTime() / 1000, before: new Date(year, month - 1, day + 1).getTime() / 1000 }
}

/** Length of a cell of the heatmap, and of the whole heatmap, in seconds (contract, users: heatmap). */
export const cellSeconds = 900
export const heatSeconds = 371 * secondsPerDay

/** Time for which an act is news on the home page, in seconds. */
export const newsSeconds = 90 * secondsPerDay
