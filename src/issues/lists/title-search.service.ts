import type { Ctx, RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import { pluck } from '../../lib/pluck.ts'
import { loadIssues } from '../issue.store.ts'
import { findIssues, searchEverywhere } from './list.service.ts'
import { loadListedIssues, type ListedIssue } from './listed-issue.service.ts'
import { allWords } from './query-list.service.ts'
import { listNewest, type NamedIssue } from '../references/suggestion.store.ts'

export type { NamedIssue } from '../references/suggestion.store.ts'

/** Newest issues whose titles are compared with parts of words; older ones are found by whole words. */
const comparedIssues = 300
/** Results of the text search; those with the words in the title come first. */
const foundByTexts = 30

const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean)

const isNamed = (title: string, words: readonly string[]): boolean => {
  const lower = title.toLowerCase()
  return words.every((word) => lower.includes(word))
}

/**
 * Returns issues and pull requests of a repository that the viewer may read: those whose number begins with the text, or
 * whose title contains each of its words, the newest first; then older ones whose texts have the words.
 */
export async function findTitles(ctx: RepoCtx, text: string, limit: number): Promise<readonly NamedIssue[]> {
  const { db, repo, rights } = ctx
  const isPull = [false, true].filter((each) => rights.modeOf(each ? 'pulls' : 'issues') >= mode.read)
  const words = wordsOf(text)
  if (isPull.length === 0 || words.length === 0) return []
  const number = /^#?(\d+)$/.exec(text)?.[1]
  const newest = (await listNewest(db, repo.id, isPull, comparedIssues))
    .filter(({ index, title }) => (number && String(index).startsWith(number)) || isNamed(title, words))
    .slice(0, limit)
  if (newest.length === limit || repo.num_issues + repo.num_pulls <= comparedIssues) return newest
  const { issues } = await findIssues(ctx, { q: allWords(text), state: 'all', limit })
  const byId = await loadIssues(db, pluck(issues, 'id'))
  const isKnown = new Set(pluck(newest, 'id'))
  const older = issues.flatMap(({ id }) => (isKnown.has(id) ? [] : (byId.get(id) ?? [])))
  return [...newest, ...older].slice(0, limit)
}

/** Returns issues and pull requests of all repositories that the viewer may read, those with the words in the title first. */
export async function findTitlesEverywhere(ctx: Ctx, text: string, limit: number): Promise<readonly ListedIssue[]> {
  const words = wordsOf(text)
  if (words.length === 0) return []
  const { issues } = await searchEverywhere(ctx, { q: allWords(text), state: 'all', limit: foundByTexts })
  const listed = await loadListedIssues(ctx, issues)
  const [named, others] = [true, false].map((isPull) =>
    listed.filter(({ issue }) => isNamed(issue.title, words) === isPull),
  )
  return [...(named ?? []), ...(others ?? [])].slice(0, limit)
}
