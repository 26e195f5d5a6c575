import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, inRepo } from '../../access/repo.requirements.ts'
import { attachmentsEnabled } from '../../access/requirements.ts'
import { readFormWithFiles } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation, type Call } from '../../http/operation.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { bytes } from '../../http/reply.ts'
import { pathNumber } from '../../http/schema.ts'
import { uploadOf } from '../../attachments/upload.ts'
import type { Upload } from '../../attachments/incoming-file.service.ts'
import { addFileForNotes, attachAsset } from '../../releases/asset.service.ts'
import { getRelease } from '../../releases/release.service.ts'
import { runOnce } from '../../users/sent-forms/sent-form.service.ts'
import { markdownOfFile } from '../shared/dropped-file.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { checkOwnForm, fromOwnPage, inBrowser, inSession } from '../shell/browser.requirements.ts'
import { redirectTo } from '../shell/notice.ts'
import { sentFormOf } from '../shell/page.tsx'
import { csrfName } from '../ui/page-context.ts'
import { pathOf, siteHref } from '../ui/paths.ts'
import { releaseTexts as texts } from '../languages/texts.ts'

/** Limit of the fields beside the file, in bytes. */
const maxFieldBytes = 10_000

/** What both uploads to releases declare. */
const shared = {
  method: 'POST',
  base: 'site',
  scope: null,
  accepts: ['session'],
  requires: [
    inBrowser,
    inSession,
    inRepo,
    canRead('releases'),
    canWrite('releases'),
    repoUnderQuota('size:assets:attachments:releases'),
    attachmentsEnabled,
    fromOwnPage,
  ],
  body: bytesOf('multipart/form-data'),
} as const

/** Attaches a file, or an address, to a release. Its body is a stream, so that a file never lies in memory. */
export const attachReleaseFile = operation({
  ...shared,
  errors: pageErrors,
  path: '/{username}/{reponame}/releases/{id}/assets',
  cost: 'usual',
  params: { id: pathNumber },
  reply: { 303: 'empty' },
  async run({ ctx, params, call }) {
    const release = await getRelease(ctx, params.id)
    const led = await runOnce(ctx, async (begin) => {
      const upload = uploadOfForm(ctx, call, (sent) => begin(sentFormOf(call, sent)))
      const file = await attachAsset(ctx, release, upload, undefined)
      return {
        to: pathOf(ctx.owner.name, ctx.repo.name, 'releases', 'edit', release.tag_name),
        notice: texts.files.attached(file.name),
      }
    })
    return redirectTo(ctx, call, led)
  },
})

/** Stores a file dropped into the notes of a release; the release holds it when notes that show it are saved. */
export const uploadToNotes = operation({
  ...shared,
  path: '/{username}/{reponame}/releases/attachments',
  cost: 'usual',
  reply: { 200: bytesOf('text/plain') },
  async run({ ctx, call }) {
    const { name, uuid } = await addFileForNotes(ctx, uploadOf(call, {}))
    return bytes('text/plain;charset=utf-8', markdownOfFile(name, siteHref(ctx.config, `/attachments/${uuid}`)))
  },
})

/** The file of a form. A form without the value of its page is refused, and the file is deleted. */
const uploadOfForm = (
  ctx: BrowserCtx,
  call: Call,
  onSent: (sent: Readonly<Record<string, string>>) => Promise<void>,
): Upload => ({
  signal: call.signal,
  async receive(maxFileBytes, take) {
    let isTaken = false
    const sent = await readFormWithFiles(
      call.body(),
      contentTypeOf(call),
      { maxFieldBytes, maxFileBytes },
      async (file) => {
        // A file field without a file has no name.
        if (file.field !== 'attachment' || isTaken || !file.filename) {
          file.content.resume()
          return
        }
        isTaken = true
        await take({ name: file.filename, content: file.content })
      },
    )
    checkOwnForm(ctx, call, sent[csrfName])
    await onSent(sent)
    return { address: sent['external_url'] }
  },
})
