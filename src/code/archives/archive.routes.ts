import type { RepoCtx } from '../../access/context.ts'
import { canRead, inRepo } from '../../access/repo.requirements.ts'
import { fileReplies, serveFile } from '../../http/file-reply.ts'
import { operation, type Call } from '../../http/operation.ts'
import { enumeration } from '../../http/schema.ts'
import {
  archiveFileName,
  countDownload,
  getArchive,
  splitArchiveName,
  type OfferedFormat,
  type StoredArchive,
} from './archive.service.ts'
import { repoApiUrl } from '../../repos/repo-url.ts'
import { wordTable } from '../../lib/word-table.ts'

const contentTypes: Readonly<Record<OfferedFormat, string>> = {
  zip: 'application/zip',
  'tar.gz': 'application/gzip',
  bundle: 'application/octet-stream',
}

/** Sends an archive with a link to its immutable address. */
function serveArchive(
  ctx: RepoCtx,
  call: Call,
  ref: string,
  archive: StoredArchive,
  contentType = contentTypes[archive.format],
) {
  const { format, form, revision, content } = archive
  const immutable = `${repoApiUrl(ctx)}/archive/${revision.commit}.${format}?rev=${revision.commit}`
  return serveFile(call, {
    name: archiveFileName(ctx, ref, format),
    content,
    contentType,
    disposition: 'attachment',
    etag: `${revision.commit}.${form}`,
    headers: { link: `<${immutable}>; rel="immutable"` },
  })
}

export const repoGetArchive = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/archive/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  refuses: [413],
  writes: true,
  reply: fileReplies,
  summary: 'Download an archive of a repository',
  async run({ ctx, params, call }) {
    const { ref, format } = splitArchiveName(params.filepath)
    return serveArchive(ctx, call, ref, await getArchive(ctx, ref, format, call.signal))
  },
})

const ballFormats = wordTable<OfferedFormat>({ zipball: 'zip', tarball: 'tar.gz', bundle: 'bundle' })

export const repoDownloadArchive = operation({
  method: 'GET',
  path: '/repos/{username}/{reponame}/{ball_type}/{filepath+}',
  cost: 'usual',
  params: { ball_type: enumeration('zipball', 'tarball', 'bundle') },
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  refuses: [413],
  writes: true,
  reply: fileReplies,
  summary: 'Download an archive of a repository',
  async run({ ctx, params, call }) {
    // The path schema allows only names of this table.
    const format = ballFormats[params.ball_type] as OfferedFormat
    return serveArchive(ctx, call, params.filepath, await getArchive(ctx, params.filepath, format, call.signal))
  },
})

export const webArchive = operation({
  method: 'GET',
  base: 'site',
  family: 'downloads',
  path: '/{username}/{reponame}/archive/{filepath+}',
  cost: 'usual',
  scope: 'repository',
  requires: [inRepo, canRead('code')],
  writes: true,
  reply: fileReplies,
  async run({ ctx, params, call }) {
    const { ref, format } = splitArchiveName(params.filepath)
    const archive = await getArchive(ctx, ref, format, call.signal)
    // The page's type is generic; the API's is exact (observed).
    const reply = await serveArchive(ctx, call, ref, archive, 'application/octet-stream')
    if (call.method === 'GET' && reply.status === 200) await countDownload(ctx, archive)
    return reply
  },
})
