import { createReadStream, createWriteStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Ctx, RepoCtx } from '../access/context.ts'
import { allowedTypes, attachedName, mayAttach } from './attachment.rules.ts'
import type { BlobFile, FileEdit } from '../git/git.ts'
import { sniffBytes, sniffContentType } from '../lib/content-type.ts'
import { Invalid, TooLarge } from '../lib/errors.ts'
import type { Oid } from '../lib/ids.ts'
import { withTemporaryFolder } from '../lib/temporary-folder.ts'
import { writablePath } from '../code/contents/file-change.rules.ts'

/** A file of a form. */
export interface UploadedFile {
  readonly name: string
  readonly content: Buffer | BlobFile
}

/** Larger files stay on the disk until they are committed, in bytes. */
const maxInMemory = 64 * 1024

const mebibyte = 1024 * 1024

/** The settings for uploads, as limits of a form. */
export function uploadLimits({ config }: Pick<Ctx, 'config'>) {
  const { enabled, maxFiles, fileMaxSize } = config.repositoryUpload
  return { isOn: enabled, maxFiles, maxFileBytes: fileMaxSize * mebibyte }
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/**
 * Receives the files of a form on the disk, has `work` use them, and deletes them. Throws `TooLarge` for too many files
 * and `Invalid` for a file of a type that `[repository.upload]` does not allow, or without a name.
 * @param receive passes each file on as it arrives
 */
export async function withUploadedFiles<Sent, Result>(
  ctx: Pick<Ctx, 'config'>,
  receive: (take: (file: { readonly name: string; readonly content: Readable }) => Promise<void>) => Promise<Sent>,
  work: (files: readonly UploadedFile[], sent: Sent) => Promise<Result>,
): Promise<Result> {
  const { maxFiles } = uploadLimits(ctx)
  const allowed = allowedTypes(ctx.config.repositoryUpload.allowedTypes)
  const end = new AbortController()
  // A form passes the next file on before the previous one is stored.
  const storing: Promise<UploadedFile>[] = []
  async function store(sentName: string, content: Readable, path: string): Promise<UploadedFile> {
    const name = attachedName(sentName)
    if (name === '') throw new Invalid('a file has no name', 'upload_nameless')
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: end.signal })
    if (!mayAttach(allowed, name, sniffContentType(await firstBytes(path)))) {
      throw new Invalid(`files like ${name} are not allowed here`, 'upload_type')
    }
    const { size: sizeBytes } = await stat(path)
    const isSmall = sizeBytes <= maxInMemory
    return { name, content: isSmall ? await readFile(path) : { open: () => createReadStream(path), sizeBytes } }
  }
  return withTemporaryFolder(ctx.config.paths.tmp, 'upload-', async (folder) => {
    try {
      const sent = await receive(async ({ name, content }) => {
        if (storing.length === maxFiles) throw new TooLarge(`at most ${maxFiles} files are uploaded at once`)
        const stored = store(name, content, join(folder, String(storing.length)))
        storing.push(stored)
        await stored
      })
      return await work(await Promise.all(storing), sent)
    } finally {
      end.abort()
      await Promise.allSettled(storing)
    }
  })
}

/**
 * Returns the edits that put files into a folder of a commit. A file that exists there gets a new content; a link is
 * refused, because its content is an address.
 * @param head undefined in an empty repository
 */
export async function uploadEdits(
  { git, repo }: RepoCtx,
  head: Oid | undefined,
  folder: string,
  files: readonly UploadedFile[],
): Promise<readonly FileEdit[]> {
  const placed = files.map(({ name, content }) => ({
    path: writablePath('files', folder === '' ? name : `${folder}/${name}`),
    content,
  }))
  const paths = placed.map(({ path }) => path)
  const present = head === undefined ? undefined : await git.findPaths(repo.git_key, head, paths)
  return placed.map(({ path, content }) => {
    const entry = present?.get(path)
    if (entry?.mode === '120000') throw new Invalid(`${path} is a link`, 'path_is_link')
    return { operation: entry?.type === 'blob' ? 'update' : 'create', path, content }
  })
}
