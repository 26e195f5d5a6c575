import type { BlobFile } from '../../git/git.ts'
import type { FileContent } from '../../http/file-reply.ts'
import type { RepoCtx, SignedInRepoCtx } from '../context.ts'

/** Content outside of git, for which the repository has a pointer file. */
export interface LargeFile {
  /** Its identity: equal texts mean equal bytes. */
  readonly id: string
  readonly sizeBytes: number
  readonly content: FileContent
}

/** Files that repositories store outside of git. One feature provides them. */
export interface LargeFiles {
  /** Largest file that may be a pointer, in bytes. */
  readonly maxPointerBytes: number
  /** Value of the git attribute `filter` for such files. */
  readonly filter: string
  /** Whether the instance stores such files. */
  isOn(ctx: RepoCtx): boolean
  /** Whether a small file is a pointer. */
  isPointer(file: Buffer): boolean
  /**
   * Returns the content that a pointer names; undefined: the file is no pointer, or the repository does not have the
   * content.
   */
  find(ctx: Pick<RepoCtx, 'config' | 'db' | 'blobs' | 'repo'>, file: Buffer): Promise<LargeFile | undefined>
  /** Stores a content for the repository and returns the pointer to commit. Throws `OverQuota`, `Invalid`. */
  keep(ctx: SignedInRepoCtx, content: Buffer | BlobFile): Promise<Buffer | BlobFile>
}
