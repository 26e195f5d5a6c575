import { shareOfClient } from '../../access/client-share.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { FileContent } from '../../http/file-reply.ts'
import type { PathEntry } from '../../git/git.ts'
import { NotFound } from '../../lib/errors.ts'
import type { Oid } from '../../lib/ids.ts'
import type { Unix } from '../../lib/time.ts'
import { entryKind } from './entry-kind.ts'
import type { NamedCommit } from '../commits/named-commit.service.ts'

/** Files up to this size, in bytes, are read at once, which costs less than a stream. */
const maxWholeBytes = 64 * 1024

/** A file of a revision, ready to be sent. */
export interface RawFile {
  readonly entry: PathEntry
  readonly sizeBytes: number
  /** Committer time of the last commit that touched it. */
  readonly modifiedUnix: Unix
  readonly content: FileContent
  /** What the bytes are known by. */
  readonly id: string
}

/**
 * A file or the text of a link; folders, submodules and what is not there are `NotFound`.
 * @param form `media`: of a file that the repository keeps outside of git that content, and not the pointer to it
 */
export async function getRawFile(
  ctx: RepoCtx,
  revision: NamedCommit,
  path: string,
  signal: AbortSignal,
  form: 'raw' | 'media' = 'raw',
): Promise<RawFile> {
  const { git, repo, parts } = ctx
  const entry = path === '' ? undefined : await git.findPath(repo.git_key, revision.commit, path)
  // Clients of the family compare this message.
  if (entry?.type !== 'blob') throw new NotFound("The target couldn't be found.", 'path_not_found')
  const [{ sizeBytes, content }, modifiedUnix] = await Promise.all([
    openBlob(ctx, entry.oid, signal),
    lastChange(ctx, revision.commit, path),
  ])
  const { largeFiles } = parts
  const mayPoint = form === 'media' && Buffer.isBuffer(content) && sizeBytes <= (largeFiles?.maxPointerBytes ?? 0)
  const large = mayPoint ? await largeFiles?.find(ctx, content) : undefined
  if (large) return { entry, modifiedUnix, ...large }
  return { entry, sizeBytes, modifiedUnix, content, id: entry.oid }
}

async function lastChange({ git, repo }: RepoCtx, commit: Oid, path: string): Promise<Unix> {
  const oid = (await git.lastCommitOfPath(repo.git_key, commit, path)) ?? commit
  return (await git.readCommit(repo.git_key, oid)).committer.unixSeconds
}

/** The bytes of a blob: whole when they are few, else read as they are sent. */
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

/** What kind of entry is sent, in the headers of the family. */
export const objectTypeHeaders = (entry: PathEntry): Record<string, string> => {
  const kind = entryKind(entry)
  return { 'x-service-object-type': kind, 'x-forgejo-object-type': kind, 'x-gitea-object-type': kind }
}
