import { shareOfClient } from '../../access/client-share.ts'
import { contributionsOf } from '../../access/feature.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { FileContent } from '../../http/file-reply.ts'
import type { PathEntry } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { entryKind } from './entry-kind.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'

/** Files up to this size, in bytes, are read whole, which costs less than a stream. */
const maxWholeBytes = 64 * 1024

/** A file of a revision, ready to send. */
export interface RawFile {
  readonly entry: PathEntry
  readonly sizeBytes: number
  /** Committer time of the last commit that touched the file. */
  readonly modifiedUnix: Unix
  readonly content: FileContent
  /** Identifies the bytes. */
  readonly id: string
}

/**
 * A file or the target of a link. Throws `NotFound` for folders, submodules and missing paths.
 * @param form `media` sends the large file behind a pointer
 */
export async function getRawFile(
  ctx: RepoCtx,
  revision: NamedCommit,
  path: string,
  signal: AbortSignal,
  form: 'raw' | 'media' = 'raw',
): Promise<RawFile> {
  const { git, repo } = ctx
  const entry = path === '' ? undefined : await git.findPath(repo.git_key, revision.commit, path)
  // Clients compare this message.
  if (entry?.type !== 'blob') throw new NotFound("The target couldn't be found.", 'path_not_found')
  const [{ sizeBytes, content }, modifiedUnix] = await Promise.all([
    openBlob(ctx, entry.oid, signal),
    lastChange(ctx, revision.commit, path),
  ])
  const { largeFiles } = contributionsOf(ctx)
  const mayPoint = form === 'media' && Buffer.isBuffer(content) && sizeBytes <= (largeFiles?.maxPointerBytes ?? 0)
  const large = mayPoint ? await largeFiles?.find(ctx, content) : undefined
  if (large) return { entry, modifiedUnix, ...large }
  return { entry, sizeBytes, modifiedUnix, content, id: entry.oid }
}

async function lastChange({ git, repo }: RepoCtx, commit: Oid, path: string): Promise<Unix> {
  const oid = (await git.lastCommitOfPath(repo.git_key, commit, path)) ?? commit
  return (await git.readCommit(repo.git_key, oid)).committer.unixSeconds
}

/** Opens a blob: small ones whole, others as a stream. */
export async function openBlob(
  ctx: Pick<RepoCtx, 'admission' | 'claim' | 'git'> & { readonly repo: Pick<RepoCtx['repo'], 'id' | 'git_key'> },
  oid: Oid,
  signal: AbortSignal,
): Promise<{ sizeBytes: number; content: FileContent }> {
  const { git, repo } = ctx
  const blob = await git.readBlob(repo.git_key, oid, { maxBytes: maxWholeBytes })
  const { sizeBytes } = blob
  if (blob.content) return { sizeBytes, content: blob.content }
  return {
    sizeBytes,
    content: {
      sizeBytes,
      async open(range) {
        const options = { ...(range ? { range } : {}), signal, share: shareOfClient(ctx, 'downloads') }
        return (await git.streamBlob(repo.git_key, oid, options)).stream
      },
    },
  }
}

/** Headers that name the kind of entry. */
export const objectTypeHeaders = (entry: PathEntry): Record<string, string> => {
  const kind = entryKind(entry)
  return { 'x-service-object-type': kind, 'x-forgejo-object-type': kind, 'x-gitea-object-type': kind }
}
