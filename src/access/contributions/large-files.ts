import type { FileContent } from '../../http/file-reply.ts'
import type { RepoCtx, SignedInRepoCtx } from '../context.ts'

/** Content that lies outside of git, where a repository has a pointer in its place. */
export interface LargeFile {
  /** What it is known by: equal texts mean equal bytes. */
  readonly id: string
  readonly sizeBytes: number
  readonly content: FileContent
}

/** Files that repositories keep outside of git. One feature knows of them. */
export interface LargeFiles {
  /** Largest file that may be a pointer, in bytes. */
  readonly maxPointerBytes: number
  /** Value of the attribute `filter` that says that a file is kept so. */
  readonly filter: string
  /** Whether files are kept so on this instance. */
  isOn(ctx: RepoCtx): boolean
  /** Whether a small file is a pointer, to whatever. */
  isPointer(file: Buffer): boolean
  /** What a small file points at; undefined where it is no pointer, and where the repository has nothing of that name. */
  find(ctx: Pick<RepoCtx, 'config' | 'db' | 'blobs' | 'repo'>, file: Buffer): Promise<LargeFile | undefined>
  /** Keeps a content for the repository. Gives what is to be committed in its place. Throws `OverQuota`, `Invalid`. */
  keep(ctx: SignedInRepoCtx, content: Buffer): Promise<Buffer>
}
