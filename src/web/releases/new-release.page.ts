import type { SignedInRepoCtx } from '../../access/context.ts'
import { repoUnderQuota } from '../../access/quota/quota.requirements.ts'
import { canRead, canWrite, gitRepo, inRepo } from '../../access/repo.requirements.ts'
import type { Upload } from '../../attachments/incoming-file.service.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { readFormWithFiles } from '../../http/form.ts'
import { contentTypeOf } from '../../http/media-type.ts'
import { bytesOf, operation, validBody, type Call } from '../../http/operation.ts'
import { requestObject } from '../../http/schema.ts'
import { NotFound, Refusal, TooLarge } from '../../lib/errors.ts'
import { createReleaseWithFiles, holdShownFiles } from '../../releases/asset.service.ts'
import { generateNotes } from '../../releases/release-notes.service.ts'
import { createRelease } from '../../releases/release.service.ts'
import { runOnce } from '../../users/sent-forms/sent-form.service.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { checkOwnForm, fromOwnPage, inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { redirectTo } from '../shell/notice.ts'
import { againReplies, fieldOf, isAgainStatus, sentFormOf } from '../shell/page.tsx'
import { sentenceOf } from '../shell/sentence.ts'
import { csrfName } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { sizeText } from '../languages/amounts.ts'
import { editPath, newReleasePage, problemFields, releaseFields } from './release-form.page.tsx'
import { releasePath } from './shown-release.ts'
import { releaseTexts as texts } from '../languages/texts.ts'
import { text, textList } from '../ui/fields.ts'

const path = '/{username}/{reponame}/releases/new'
const shared = { method: 'POST', base: 'site', scope: null, accepts: ['session'], errors: pageErrors, path } as const
const writes = [inRepo, canRead('releases'), canWrite('releases'), gitRepo] as const

/** Limit of a field beside the files, in bytes. */
const maxFieldBytes = 1_000_000

/** What the form holds beside files. */
type Sent = Readonly<Record<string, string>>

const html = bytesOf('text/html')
/** Fields by the beginnings of codes. */
const fields = { ...problemFields, too_large: 'files', attachment_: 'files', asset_: 'files', over_quota: 'files' }

const formPath = ({ owner, repo }: Pick<SignedInRepoCtx, 'owner' | 'repo'>): string =>
  pathOf(owner.name, repo.name, 'releases', 'new')

/**
 * Creates a release from a form, with its files. The files are stored as they arrive and deleted again when the form is
 * refused.
 */
export const newReleaseAct = operation({
  cost: 'usual',
  ...shared,
  requires: [inBrowser, inSession, ...writes, repoUnderQuota('size:repos:all'), fromOwnPage],
  body: bytesOf('multipart/form-data', 'application/x-www-form-urlencoded'),
  reply: { 303: 'empty', ...againReplies },
  async run({ ctx, params, call }) {
    const sent: Record<string, string> = {}
    try {
      const upload = filesOfForm(ctx, call, (name, value) => {
        sent[name] = value
      })
      const led = await runOnce(ctx, async (begin) => {
        const release = await createReleaseWithFiles(ctx, upload, async () => {
          await begin(sentFormOf(call, sent))
          return createFrom(ctx, sent)
        })
        await holdShownFiles(ctx, release)
        return release.is_draft
          ? { to: editPath(ctx, release.tag_name), notice: texts.form.drafted }
          : { to: releasePath(ctx, release.tag_name), notice: texts.form.published }
      })
      return redirectTo(ctx, call, led)
    } catch (error) {
      if (!(error instanceof Refusal) || !isAgainStatus(error.status)) throw error
      const message =
        error instanceof TooLarge
          ? texts.files.tooLarge(sizeText(ctx.config.attachment.maxSize * 2 ** 20))
          : error.message
      return newReleasePage.showAgain({
        ctx,
        params,
        call,
        status: error.status,
        refused: {
          action: formPath(ctx),
          status: error.status,
          problem: { field: fieldOf(error, fields), message: sentenceOf(message) },
          values: sent,
        },
      })
    }
  },
})

const createFrom = (ctx: SignedInRepoCtx, sent: Sent) =>
  createRelease(ctx, sent['tag_name'] ?? '', {
    tagName: sent['tag_name'],
    target: sent['target'],
    title: sent['title'],
    content: sent['content'],
    isDraft: sent['as'] === 'draft',
    isPrerelease: sent['is_prerelease'] === 'true',
    hidesArchiveLinks: sent['hides_archive_links'] === 'true',
  })

/** The files of a form, which follow its fields. A form without the value of its page is refused. */
const filesOfForm = (ctx: BrowserCtx, call: Call, onField: (name: string, value: string) => void): Upload => ({
  signal: call.signal,
  async receive(maxFileBytes, take) {
    const limits = { maxFieldBytes, maxFileBytes, onField }
    const sent = await readFormWithFiles(call.body(), contentTypeOf(call), limits, async (file) => {
      // A file field without a file has no name.
      if (file.field !== 'files' || !file.filename) {
        file.content.resume()
        return
      }
      if (!ctx.config.attachment.enabled) throw new NotFound('attachments are disabled', 'attachments_disabled')
      await take({ name: file.filename, content: file.content })
    })
    checkOwnForm(ctx, call, sent[csrfName])
    return {}
  },
})

/** Adds generated notes to what was typed into the form of a new release, and shows it again. */
export const addGeneratedNotes = operation({
  ...shared,
  whenQuery: { generate: 'true' },
  requires: [inBrowser, inSession, ...writes, validBody, ownForm],
  // The names of chosen files are sent without their contents.
  body: requestObject('Form', {
    ...releaseFields,
    files: textList,
    [csrfName]: text,
  }),
  writes: false,
  cost: 'expensive',
  reply: { 200: html },
  async run({ ctx, params, body, call }) {
    const { tag_name: tag = '', target = '', content = '', files = [], ...others } = body
    const notes = ctx.repo.is_empty ? '' : await generateNotes(ctx, { tag, target }, texts.notes)
    const typed = content.trimEnd()
    return newReleasePage.showAgain({
      ctx,
      params,
      call,
      status: 200,
      refused: {
        action: formPath(ctx),
        values: {
          ...others,
          tag_name: tag,
          target,
          content: typed === '' ? notes : `${typed}\n\n${notes}`,
          files: files.filter((name) => name !== ''),
        },
      },
    })
  },
})
