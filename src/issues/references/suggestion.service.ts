import type { Ctx, RepoCtx } from '../../access/context.ts'
import { mode } from '../../access/rights.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { assigneesOf } from '../../repos/people/candidate.service.ts'
import { findPeople } from '../../users/user.service.ts'
import { listNewest } from './suggestion.store.ts'

/** A completion of what a person types. */
export interface Suggestion {
  /** What replaces the typed word, with its first sign. */
  readonly value: string
  readonly text: string
  readonly detail: string
}

const shownAtMost = 8
/** Newest issues whose titles are compared with the typed word. */
const comparedIssues = 300
/** People of a repository whose names are compared with the typed word. */
const comparedPeople = 50
const longestWord = 100

/**
 * Returns completions of a word, best first: people after `@`, issues and pull requests of the repository after `#`, and
 * emoji after `:`. Each appears only when the viewer may see it.
 */
export async function suggest(ctx: Ctx, key: string, typed: string, repo?: RepoCtx): Promise<readonly Suggestion[]> {
  const word = typed.slice(0, longestWord).toLowerCase()
  if (key === '@') return suggestPeople(ctx, word, repo)
  if (key === '#' && repo) return suggestIssues(repo, word)
  if (key === ':' && word !== '') {
    // The table of emoji takes memory, so it is loaded when somebody needs it.
    const { emojiBeginning } = await import('../../markup/emoji.ts')
    return emojiBeginning(word, shownAtMost).map(({ character, name }) => ({
      value: character,
      text: character,
      detail: name,
    }))
  }
  return []
}

async function suggestPeople(ctx: Ctx, word: string, repo: RepoCtx | undefined): Promise<readonly Suggestion[]> {
  const page = (limit: number) => ({ number: 1, limit, offset: 0 })
  const [near, all] = await Promise.all([
    repo ? assigneesOf(repo, page(comparedPeople)) : undefined,
    word === '' ? undefined : findPeople(ctx, { text: word }, page(shownAtMost)),
  ])
  const matches = (user: UserRow) => user.lower_name.includes(word) || user.full_name.toLowerCase().includes(word)
  const found = new Map([...(near?.users.filter(matches) ?? []), ...(all?.users ?? [])].map((user) => [user.id, user]))
  const rank = ({ lower_name: name }: UserRow) => (name.startsWith(word) ? 0 : 1)
  return [...found.values()]
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, shownAtMost)
    .map((user) => ({ value: `@${user.name}`, text: user.name, detail: user.full_name }))
}

async function suggestIssues(repo: RepoCtx, word: string): Promise<readonly Suggestion[]> {
  const isPull = [false, true].filter((each) => repo.rights.modeOf(each ? 'pulls' : 'issues') >= mode.read)
  const newest = await listNewest(repo.db, repo.repo.id, isPull, comparedIssues)
  return newest
    .filter(({ index, title }) => String(index).startsWith(word) || title.toLowerCase().includes(word))
    .slice(0, shownAtMost)
    .map(({ index, title }) => ({ value: `#${index}`, text: `#${index}`, detail: title }))
}
