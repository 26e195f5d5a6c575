import { findRepoByName } from '../../access/access.store.ts'
import type { SignedInCtx, SubjectCtx } from '../../access/context.ts'
import { openRepo } from '../../access/resolve-repo.ts'
import { Forbidden } from '../../lib/errors.ts'
import type { RepoId } from '../../lib/ids.ts'
import { comparable } from '../package.rules.ts'

/** Longest address that is looked at, in characters. */
const maxUrlLength = 2048

/** Name of the owner's repository that an address means; undefined for addresses of others. */
function repoNameIn({ config, subject }: SubjectCtx, url: string): string | undefined {
  const root = config.server.rootUrl
  const plain = url.replace(/^git\+/, '')
  if (url.length > maxUrlLength || !plain.startsWith(root)) return undefined
  const [owner, name, ...more] = plain.slice(root.length).replace(/\/$/, '').split('/')
  if (owner === undefined || name === undefined || more.length > 0) return undefined
  return comparable(owner) === subject.lower_name ? name.replace(/\.git$/, '') : undefined
}

/**
 * The repository of the owner whose address a package gives as its source; undefined when it is none of theirs. Throws
 * `Forbidden` when the caller may not write its packages.
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
