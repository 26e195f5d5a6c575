import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { perApplication } from '../../access/per-application.ts'
import type { RepoCtx } from '../../access/context.ts'
import type { Oid } from '../../lib/ids.ts'

/** Files of a revision whose names are searched; further ones are not. */
const maxSearchedFiles = 50_000

/** Most bytes of a list as JSON, because each path may have thousands, and six for a control character. */
const maxJsonBytes = 4_000_000

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Level 6 takes a third longer and saves a twentieth of the bytes. */
const compression = { level: 4 }

/** Paths of files, in the order of the tree. */
export interface FileList {
  readonly paths: readonly string[]
  /** Whether these are all files. */
  readonly isWhole: boolean
}

/** Lists as compressed JSON, by the tree, which decides what they contain. */
const kept = perApplication((caches) =>
  caches.open<Oid, Buffer>('file lists', { maxBytes: 8 * 1024 * 1024, sizeOf: (bytes) => bytes.length }),
)

/** Reads the files of a tree: blobs and symbolic links, without submodules. */
async function readFiles({ git, repo }: Pick<RepoCtx, 'git' | 'repo'>, treeish: Oid): Promise<FileList> {
  const { entries, total } = await git.listTreeRecursive(repo.git_key, treeish, {
    limit: maxSearchedFiles,
    foldersToo: false,
  })
  const paths: string[] = []
  let jsonBytes = 0
  for (const { type, path } of entries) {
    if (type !== 'blob') continue
    jsonBytes += Buffer.byteLength(JSON.stringify(path)) + 1
    if (jsonBytes > maxJsonBytes) return { paths, isWhole: false }
    paths.push(path)
  }
  return { paths, isWhole: total <= maxSearchedFiles }
}

/** A list as bytes. */
export interface EncodedFileList {
  /** Entity tag with quotes. */
  readonly etag: string
  /** Returns the JSON of the `FileList`, compressed with gzip or as it is. */
  readonly content: (isCompressed: boolean) => Promise<Buffer>
}

/** Returns the files of a commit for browsers, which keep the list by its tree. */
export async function encodeFileList(ctx: RepoCtx, commit: Oid): Promise<EncodedFileList> {
  const { tree } = await ctx.git.readCommit(ctx.repo.git_key, commit)
  return {
    etag: `"files-${tree}"`,
    async content(isCompressed) {
      const known = kept(ctx).get(tree)
      if (known) return isCompressed ? known : expand(known)
      const plain = Buffer.from(JSON.stringify(await readFiles(ctx, tree)))
      const compressed = await compress(plain, compression)
      kept(ctx).set(tree, compressed)
      return isCompressed ? compressed : plain
    },
  }
}

/** Returns the files of a commit: blobs and symbolic links, without submodules. They are kept, because people type a text letter by letter. */
export async function listFiles(ctx: RepoCtx, commit: Oid): Promise<FileList> {
  const { content } = await encodeFileList(ctx, commit)
  return JSON.parse((await content(false)).toString()) as FileList
}
