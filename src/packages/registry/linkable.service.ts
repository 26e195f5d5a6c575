import { findRepoByName } from '../../access/access.store.ts'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { openRepo } from '../../access/resolve-repo.ts'
import { Forbidden } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { comparable } from '../package.rules.ts'

/** Longest URL that is considered, in characters. */
const maxUrlLength = 2048

/** Returns the name of the owner's repository that a URL points to; undefined for any other URL. */
function repoNameIn({ config, subject }: SubjectCtx, url: string): string | undefined {
  const root = config.server.rootUrl
  const plain = url.replace(/^git\+/, '')
  if (url.length > maxUrlLength || !plain.startsWith(root)) return undefined
  const [owner, name, ...more] = plain.slice(root.length).replace(/\/$/, '').split('/')
  if (owner === undefined || name === undefined || more.length > 0) return undefined
  return comparable(owner) === subject.lower_name ? name.replace(/\.git$/, '') : undefined
}

/**
 * Returns the repository of the owner that a package names as its source, or undefined. Throws `Forbidden` when the
 * caller may
 * not write the packages of the repository.
 */
export async function repoToLink(ctx: SubjectCtx & SignedInCtx, url: string): Promise<RepoId | undefined> {
  const name = repoNameIn(ctx, url)
  const repo = name === undefined ? undefined : await findRepoByName(ctx.db, ctx.subject.id, comparable(name))
  if (!repo) return undefined
  const { rights } = await openRepo(ctx, ctx.subject, repo)
  if (!rights.canWrite('packages')) {
    throw new Forbidden('you may not write the packages of the repository', 'unit_unwritable')
  }
  return repo.id
}
