import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canWrite, inRepo, notArchived, wikiEnabled } from '../../access/repo.requirements.ts'
import { attachmentsEnabled } from '../../access/requirements.ts'
import { uploadLimits, withUploadedFiles } from '../../attachments/repository-upload.service.ts'
import { readFormWithFiles } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { bytes } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import { escapePath } from '../../lib/escape-url.ts'
import { addWikiFile } from '../../wiki/wiki-file.service.ts'
import { isShownImage, markdownOfFile } from '../shared/dropped-file.ts'
import { checkOwnForm, fromOwnPage, inBrowser, inSession } from '../shell/browser.requirements.ts'
import { uploadsOn } from '../shell/upload.requirements.ts'
import { csrfName } from '../ui/page-context.ts'
import { wikiTexts as texts } from '../languages/texts.ts'

/** Limit of the fields beside the file, in bytes. */
const maxFieldBytes = 10_000

/** Images are shown from `wiki/raw`; a link to another file has to say so. */
const addressOf = (path: string, name: string): string => `${isShownImage(name) ? '' : 'raw/'}${escapePath(path)}`

/** Commits a file dropped into the text of a page to the wiki, and answers the Markdown that shows it. */
export const uploadToWiki = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'POST',
  path: '/{username}/{reponame}/wiki/_new/files',
  cost: 'expensive',
  requires: [
    inBrowser,
    inSession,
    inRepo,
    wikiEnabled,
    notArchived,
    canWrite('wiki'),
    repoUnderQuota('size:assets:wiki'),
    attachmentsEnabled,
    uploadsOn,
    fromOwnPage,
  ],
  body: bytesOf('multipart/form-data'),
  reply: { 200: bytesOf('text/plain') },
  run: ({ ctx, call }) =>
    withUploadedFiles(
      ctx,
      async (take) => {
        const limits = { maxFieldBytes, maxFileBytes: uploadLimits(ctx).maxFileBytes }
        const sent = await readFormWithFiles(
          call.body(),
          contentTypeOf(call),
          limits,
          async ({ field, filename, content }) => {
            if (field !== 'attachment' || filename === '') {
              content.resume()
              return
            }
            await take({ name: filename, content })
          },
        )
        checkOwnForm(ctx, call, sent[csrfName])
      },
      async ([file]) => {
        if (file === undefined) throw new Invalid(texts.form.noFile, 'upload_missing')
        const path = await addWikiFile(ctx, file)
        return bytes('text/plain;charset=utf-8', markdownOfFile(file.name, addressOf(path, file.name)))
      },
    ),
})
