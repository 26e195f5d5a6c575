import { commitUnderQuota } from '../../../pulls/proposal.requirements.ts'
import type { SignedInRepoCtx } from '../../../access/context.ts'
import { uploadEdits, uploadLimits, withUploadedFiles } from '../../../attachments/repository-upload.service.ts'
import { pageErrors } from '../../../http/error-forms.ts'
import { readFormWithFiles } from '../../../http/form.ts'
import { contentTypeOf } from '../../../http/media-type.ts'
import { bytesOf, operation, type Call } from '../../../http/operation.ts'
import { trimBoth } from '../../../lib/trim-ends.ts'
import { Invalid, Refusal, TooLarge } from '../../../lib/errors.ts'
import { runOnce } from '../../../users/sent-forms/sent-form.service.ts'
import { inRepositoryFrame } from '../../frames/repository-frame.tsx'
import type { BrowserCtx } from '../../shell/browser-context.ts'
import { checkOwnForm, fromOwnPage, inBrowser, inSession } from '../../shell/browser.requirements.ts'
import { redirectTo } from '../../shell/notice.ts'
import { page, sentFormOf } from '../../shell/page.tsx'
import { sentenceOf } from '../../shell/sentence.ts'
import { uploadsOn } from '../../shell/upload.requirements.ts'
import { csrfName } from '../../ui/page-context.ts'
import { typedPath } from '../../ui/path-field.ts'
import { sizeText } from '../../languages/amounts.ts'
import { commitEdit, editTarget, proposalFormRequires, proposalRequires, formData, titleOf } from './edit-form.ts'
import { codeTexts } from '../../languages/texts.ts'
import { UploadView } from './upload.view.tsx'

const texts = codeTexts.upload

/** Limit of the fields beside the files, in bytes. */
const maxFieldBytes = 65_536

export const uploadFilesPage = page({
  path: '/{username}/{reponame}/_upload/{filepath+}',
  twin: 'repoChangeFiles',
  cost: 'usual',
  requires: [...proposalFormRequires, uploadsOn],
  frame: inRepositoryFrame('code'),
  async load({ ctx, params }) {
    const { maxFiles, maxFileBytes } = uploadLimits(ctx)
    const { allowedTypes: types } = ctx.config.repositoryUpload
    return { ...(await formData(ctx, await editTarget(ctx, params.filepath))), maxFiles, maxFileBytes, types }
  },
  meta: (data) => titleOf(texts.title, data),
  view: UploadView,
})

/** What a form with files holds beside them; known as far as it was read. */
type Sent = Readonly<Record<string, string>>

/** Receives the files of the form and commits them. Nothing is committed when the form is not from this site. */
const commitUpload = (
  ctx: SignedInRepoCtx & BrowserCtx,
  call: Call,
  rest: string,
  onSent: (sent: Sent) => Promise<void>,
): Promise<{ readonly to: string; readonly notice: string }> =>
  withUploadedFiles(
    ctx,
    async (take): Promise<Sent> => {
      const { maxFileBytes } = uploadLimits(ctx)
      const limits = { maxFieldBytes, maxFileBytes }
      const sent = await readFormWithFiles(call.body(), contentTypeOf(call), limits, async (file) => {
        // A file field without a file has no name.
        if (file.field !== 'files' || !file.filename) {
          file.content.resume()
          return
        }
        await take({ name: file.filename, content: file.content })
      })
      checkOwnForm(ctx, call, sent[csrfName])
      await onSent(sent)
      return sent
    },
    async (files, sent) => {
      if (files.length === 0) throw new Invalid(texts.noFiles, 'upload_missing')
      const at = await editTarget(ctx, rest)
      const folder = trimBoth(typedPath(sent['folder'] ?? '', at.path), '/')
      const edits = await uploadEdits(ctx, at.commit, folder, files)
      return commitEdit(ctx, at, edits, sent, folder)
    },
  )

const againReplies = {
  403: bytesOf('text/html'),
  409: bytesOf('text/html'),
  413: bytesOf('text/html'),
  422: bytesOf('text/html'),
} as const
type AgainStatus = keyof typeof againReplies

const mayShowAgain = (status: number): status is AgainStatus => Object.hasOwn(againReplies, status)

const fieldOf = (code: string): string | undefined =>
  code.startsWith('branch_') || code.startsWith('ref_')
    ? 'new_branch'
    : code.startsWith('upload_') || code.startsWith('path_') || code === 'too_large'
      ? 'files'
      : undefined

/** Commits the files of a form. They wait on the disk, so that none lies in memory. */
export const uploadFiles = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/{username}/{reponame}/_upload/{filepath+}',
  cost: 'expensive',
  requires: [inBrowser, inSession, ...proposalRequires, commitUnderQuota, uploadsOn, fromOwnPage],
  body: bytesOf('multipart/form-data'),
  reply: { 303: 'empty', ...againReplies },
  async run({ ctx, params, call }) {
    let values: Sent = {}
    try {
      const led = await runOnce(ctx, (begin) =>
        commitUpload(ctx, call, params.filepath, (sent) => {
          values = sent
          return begin(sentFormOf(call, sent))
        }),
      )
      return redirectTo(ctx, call, led)
    } catch (error) {
      if (!(error instanceof Refusal) || !mayShowAgain(error.status)) throw error
      const { maxFiles, maxFileBytes } = uploadLimits(ctx)
      const message = error instanceof TooLarge ? texts.tooLarge(maxFiles, sizeText(maxFileBytes)) : error.message
      return uploadFilesPage.showAgain({
        ctx,
        params,
        call,
        status: error.status,
        refused: {
          action: call.url.split('?', 1)[0] ?? '',
          status: error.status,
          problem: { field: fieldOf(error.code), message: sentenceOf(message) },
          values,
        },
      })
    }
  },
})
