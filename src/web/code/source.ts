import type { RepoCtx } from '../../access/context.ts'
import { viewCommits, type CommitView } from '../../code/statuses/commit-view.service.ts'
import type { NamedCommit } from '../../code/commits/named-commit.service.ts'
import { getFolder, type Folder } from '../../code/contents/folder.service.ts'
import { subjectOf } from '../../code/commits/message.rules.ts'
import type { PathEntry } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import { shortOid } from './code-paths.ts'

/** Reads a folder of a revision with the last commit that touched it. */
export async function readFolder(
  ctx: RepoCtx,
  revision: NamedCommit,
  at: { readonly path: string; readonly tree: Oid },
): Promise<{ readonly folder: Folder; readonly latest: CommitView }> {
  const [folder, latest] = await Promise.all([getFolder(ctx, revision.commit, at), latestOf(ctx, revision, at.path)])
  return { folder, latest }
}

/** Reads the root folder of a revision. */
export const readRoot = (ctx: RepoCtx, revision: NamedCommit) =>
  readFolder(ctx, revision, { path: '', tree: revision.commit })

/** Returns the last commit that touched a path. */
export async function latestOf(ctx: RepoCtx, revision: NamedCommit, path: string): Promise<CommitView> {
  const { git, repo } = ctx
  const oid = (await git.lastCommitOfPath(repo.git_key, revision.commit, path)) ?? revision.commit
  const [view] = await viewCommits(ctx, await git.readCommits(repo.git_key, [oid]))
  return view as CommitView
}

/** Returns the entry at a path; undefined for the root. Throws `NotFound`. */
export async function entryAt(ctx: RepoCtx, revision: NamedCommit, path: string): Promise<PathEntry | undefined> {
  if (path === '') return undefined
  const entry = await ctx.git.findPath(ctx.repo.git_key, revision.commit, path)
  if (!entry) {
    const name = revision.kind === 'commit' ? shortOid(revision.name) : revision.name
    throw new NotFound(`there is no ${path} in ${name}`, 'path_not_found')
  }
  return entry
}

/** Returns the subjects of the commits that a page of a file or folder shows. */
export const shownSubjects = ({
  latest,
  folder,
}: {
  readonly latest: CommitView
  readonly folder?: Folder
}): readonly string[] =>
  [latest.commit, ...(folder?.entries ?? []).flatMap(({ lastCommit }) => lastCommit ?? [])].map(({ message }) =>
    subjectOf(message),
  )
