import type { RepoCtx } from '../../access/context.ts'
import type { FileChange } from '../../git/git.ts'
import { listUsersByName } from '../../issues/issue.store.ts'
import { listUsersWhoMay } from '../../access/conditions/repo-condition.store.ts'
import type { UserId } from '../../lib/ids.ts'
import { branchRef } from '../../lib/refs.ts'
import { listTeamsOfRepo } from '../../orgs/team.store.ts'
import { parseCodeOwners, rulesInPlay } from './code-owners.parse.ts'
import type { RequestedReviewer } from './review.store.ts'

/** Paths of the file in the order of preference. */
const codeOwnerPaths = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS']

/** Larger files are ignored. */
const maxFileBytes = 256 * 1024

/** Most people that one pull request asks. */
const maxNames = 1000

async function readRules(ctx: RepoCtx): Promise<string | undefined> {
  const { git, repo } = ctx
  const head = await git.readRef(repo.git_key, branchRef(repo.default_branch))
  if (head === undefined) return undefined
  for (const path of codeOwnerPaths) {
    const entry = await git.findPath(repo.git_key, head, path)
    if (entry?.type !== 'blob') continue
    const { content } = await git.readBlob(repo.git_key, entry.oid, { maxBytes: maxFileBytes })
    return content?.toString('utf8')
  }
  return undefined
}

/**
 * Returns the code owners of the changed files: people and teams with read access to pull requests, without the author.
 * Forks have no code owners. Source: contract (pulls: code owners).
 */
export async function findCodeOwners(
  ctx: RepoCtx,
  files: readonly FileChange[],
  posterId: UserId,
): Promise<RequestedReviewer[]> {
  if (ctx.repo.is_fork || files.length === 0) return []
  const text = await readRules(ctx)
  if (text === undefined) return []
  const paths = [
    ...new Set(files.flatMap((file) => [file.path, ...(file.oldPath === undefined ? [] : [file.oldPath])])),
  ]
  const rules = rulesInPlay(parseCodeOwners(text, ctx.budget), paths, ctx.budget)
  const named = new Set(rules.flatMap((rule) => rule.users.map((name) => name.toLowerCase())))
  const names = [...named].slice(0, maxNames)
  const users = await listUsersByName(ctx.db, names)
  const readers = await listUsersWhoMay(
    ctx.db,
    ctx,
    users.map((user) => user.id).filter((id) => id !== posterId),
    { units: ['pulls'], mode: 1 },
  )
  const order = new Map(names.map((name, index) => [name, index]))
  const people = readers.toSorted((one, other) => (order.get(one.lower_name) ?? 0) - (order.get(other.lower_name) ?? 0))
  const teamNames = new Set(
    rules.flatMap((rule) =>
      rule.teams
        .filter((team) => team.org.toLowerCase() === ctx.owner.lower_name)
        .map((team) => team.team.toLowerCase()),
    ),
  )
  const teams =
    teamNames.size > 0 && ctx.owner.kind === 'organization'
      ? (await listTeamsOfRepo(ctx.db, ctx.owner.id, ctx.repo.id)).filter((team) => teamNames.has(team.lower_name))
      : []
  return [...people.map((user) => ({ userId: user.id })), ...teams.map((team) => ({ teamId: team.id }))]
}
