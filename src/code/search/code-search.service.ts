import type { Ctx, RepoCtx } from '../../access/context.ts'
import { expressionPattern, faultOfExpression } from '../../lib/expression.ts'
import type { FoundLine, TextSearch } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { browseRepos, type OwnedRepo } from '../../repos/lists/browse.service.ts'
import { loadLanguages } from '../languages/language-table.ts'
import {
  minRequiredLength,
  patternsOf,
  requiredTextOf,
  type CodeQuery,
  type LanguageFiles,
} from './code-search.rules.ts'
import { listReposWithReadableCode } from './code-search.store.ts'

/** Repositories that one search reads, the latest updated ones. */
const maxRepos = 50
/** Repositories that are read at once, so that one search does not fill the queue of git. */
const reposAtOnce = 4
/** Longest time for all repositories, and for one, in milliseconds. */
const maxSearchMs = 5000
const maxRepoMs = 2000
/** Lines that are shown of a repository among others, and of one alone. */
const maxLinesAmongOthers = 10
const maxLines = 200
/** Lines that are compared with an expression, and of one file. */
const maxComparedLines = 20_000
const maxComparedOfFile = 1000
/** Lines that are shown of all repositories. */
const maxLinesOfAll = 200
/** Longest shown line, in UTF-16 units. */
const maxLineLength = 300

/** A file with lines that have the text. */
export interface FoundFile {
  readonly path: string
  readonly lines: readonly { readonly number: number; readonly text: string }[]
}

/** The files of one repository that have the text. */
export interface FoundCode {
  readonly files: readonly FoundFile[]
  /** Some lines were not looked at, or not returned. */
  readonly isBounded: boolean
  /** Why an expression was not looked for; `unspecific`: it requires no text. */
  readonly fault?: string
}

/** Groups lines by their files, and cuts long lines around the text. */
function filesOf(lines: readonly FoundLine[], text: string): FoundFile[] {
  const wanted = text.toLowerCase()
  return [...Map.groupBy(lines, ({ path }) => path)].map(([path, found]) => ({
    path,
    lines: found.map((each) => {
      const at = Math.max(0, each.text.toLowerCase().indexOf(wanted) - maxLineLength / 3)
      const isCut = each.text.length > maxLineLength
      return {
        number: each.line,
        text: isCut ? each.text.slice(at, at + maxLineLength) : each.text.replace(/\r$/, ''),
      }
    }),
  }))
}

/** Finds lines in the files of a commit. A language that does not exist is an extension. */
export async function searchCommit(ctx: RepoCtx, commit: Oid, query: CodeQuery): Promise<FoundCode> {
  const { paths, languages, matchesCase } = query
  const files = languages.length === 0 ? undefined : await filesOfLanguages(languages)
  const search = {
    ignoresCase: !matchesCase,
    patterns: patternsOf(paths, files),
    timeoutMs: maxSearchMs,
  }
  if (query.isExpression) return findMatches(ctx, commit, query, search)
  const { lines, isWhole } = await ctx.git.searchText(ctx.repo.git_key, commit, {
    ...search,
    text: query.text,
    maxLines,
  })
  return { files: filesOf(lines, query.text), isBounded: !isWhole }
}

/**
 * Finds the lines that match an expression among those with the text that it requires, so that git looks for a plain text,
 * and the budget of the request limits the comparison.
 */
async function findMatches(
  ctx: RepoCtx,
  commit: Oid,
  { text: expression }: CodeQuery,
  search: Pick<TextSearch, 'ignoresCase' | 'patterns' | 'timeoutMs'>,
): Promise<FoundCode> {
  const { ignoresCase } = search
  const fault = faultOfExpression(expression, ctx.budget, { ignoresCase })
  if (fault) return { files: [], isBounded: false, fault: fault.reason }
  const text = requiredTextOf(expression)
  if (text.length < minRequiredLength) return { files: [], isBounded: false, fault: 'unspecific' }
  const limits = { maxLines: maxComparedLines, maxLinesOfFile: maxComparedOfFile }
  const { lines, isWhole } = await ctx.git.searchText(ctx.repo.git_key, commit, { ...search, ...limits, text })
  const pattern = expressionPattern(expression, ctx.budget, { isWhole: false, ignoresCase })
  const found: FoundLine[] = []
  for (const line of lines) {
    const match = found.length > maxLines ? 'undecided' : pattern.match(line.text)
    if (match === 'undecided') return { files: filesOf(found.slice(0, maxLines), text), isBounded: true }
    if (match) found.push(line)
  }
  return { files: filesOf(found, text), isBounded: !isWhole }
}

/** Returns how files of languages end, which are named in lower case, by their names or by an extension. */
async function filesOfLanguages(names: readonly string[]): Promise<LanguageFiles> {
  const { byName, byLowerName } = await loadLanguages()
  const extensions = new Set<string>()
  const filenames = new Set<string>()
  for (const name of names) {
    const language = byName.get(byLowerName.get(name) ?? '')
    const extension = name.startsWith('.') ? name : `.${name}`
    if (language === undefined) extensions.add(extension)
    for (const each of language?.extensions ?? []) extensions.add(each.toLowerCase())
    for (const each of language?.filenames ?? []) filenames.add(each.toLowerCase())
  }
  return { extensions: [...extensions], filenames: [...filenames] }
}

/** What a search of all repositories found. */
export interface FoundEverywhere {
  readonly matches: readonly (OwnedRepo & FoundCode)[]
  /** Repositories that were read. */
  readonly searched: number
  /** Some repositories or lines were not looked at, or not returned. */
  readonly isBounded: boolean
}

/**
 * Finds a text in the default branches of the repositories whose code the viewer may read, the latest updated ones
 * first. Repositories, lines and time are limited.
 * @param signal aborted when nobody waits any more
 */
export async function searchCode(ctx: Ctx, text: string, signal: AbortSignal): Promise<FoundEverywhere> {
  const first = { number: 1, limit: maxRepos, offset: 0 }
  const { repos: visible, total } = await browseRepos(ctx, {}, { sort: 'recentupdate' }, first)
  const readable = await readableAmong(ctx, visible)
  const endMs = ctx.clock.nowMs() + maxSearchMs
  const matches: (OwnedRepo & FoundCode)[] = []
  let searched = 0
  let lineCount = 0
  while (searched < readable.length && lineCount < maxLinesOfAll && ctx.clock.nowMs() < endMs && !signal.aborted) {
    const some = readable.slice(searched, searched + reposAtOnce)
    const found = await Promise.all(some.map((owned) => searchDefaultBranch(ctx, owned, text, signal)))
    searched += some.length
    for (const each of found) {
      if (each.files.length === 0) continue
      matches.push(each)
      lineCount += each.files.reduce((sum, { lines }) => sum + lines.length, 0)
    }
  }
  const isBounded = total > visible.length || searched < readable.length || matches.some((each) => each.isBounded)
  return { matches, searched, isBounded }
}

async function readableAmong(ctx: Ctx, repos: readonly OwnedRepo[]): Promise<OwnedRepo[]> {
  const filled = repos.filter(({ repo }) => !repo.is_empty)
  if (filled.length === 0) return []
  const ids = filled.map(({ repo }) => repo.id)
  const readable = new Set((await listReposWithReadableCode(ctx.db, ctx.viewer, ids)).map(({ id }) => id))
  return filled.filter(({ repo }) => readable.has(repo.id))
}

async function searchDefaultBranch(
  { git }: Ctx,
  owned: OwnedRepo,
  text: string,
  signal: AbortSignal,
): Promise<OwnedRepo & FoundCode> {
  const { repo } = owned
  const query = { text, ignoresCase: true, maxLines: maxLinesAmongOthers, timeoutMs: maxRepoMs, signal }
  try {
    const commit = await git.readRef(repo.git_key, `refs/heads/${repo.default_branch}`)
    if (commit === undefined) return { ...owned, files: [], isBounded: false }
    const { lines, isWhole } = await git.searchText(repo.git_key, commit, query)
    return { ...owned, files: filesOf(lines, text), isBounded: !isWhole }
  } catch (error) {
    // The repository was deleted meanwhile.
    if (error instanceof NotFound) return { ...owned, files: [], isBounded: false }
    throw error
  }
}
