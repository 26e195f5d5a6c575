import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, type AnyRequirement } from '../../../http/operation.ts'
import { redirect } from '../../../http/reply.ts'
import { Invalid } from '../../../lib/errors.ts'
import { setAvatar } from '../../../users/avatars/avatar.service.ts'
import type { PictureOf } from '../../../users/avatars/avatar.store.ts'
import { attempt, refusedForm } from '../../shell/attempt.ts'
import { inBrowser, inSession } from '../../shell/browser.requirements.ts'
import { noticeCookie } from '../../shell/notice.ts'
import type { Page } from '../../shell/page.tsx'
import { ownUpload, uploadBody } from '../../shell/upload.requirements.ts'
import { siteHref } from '../../ui/paths.ts'
import type { HolderCtx } from '../holder-context.ts'
import { pictureTexts as texts } from '../../languages/texts.ts'

const pictureUpload = ownUpload((config) => config.picture.avatarMaxFileSize)

/** What has a picture: an account, an organization, or a repository. */
interface PictureHolder<Rs extends readonly AnyRequirement[]> {
  /** Address of the form. */
  readonly path: string
  /** Checked after the session. */
  readonly requires: Rs
  readonly of: (ctx: HolderCtx<Rs>) => PictureOf
  /** Returns `path` with its parameters. */
  readonly pathOf: (ctx: HolderCtx<Rs>) => string
  /** The page with the form. */
  readonly formPage: Page
  /** Returns the path of that page. */
  readonly formPathOf: (ctx: HolderCtx<Rs>) => string
}

/** Declares the operation that sets the picture of a place; a refused one shows the page of the form again. */
export function pictureAct<const Rs extends readonly AnyRequirement[]>(holder: PictureHolder<Rs>) {
  // Inside, only what each place has in common is known of a context.
  const { path, requires, of, pathOf, formPage, formPathOf } = holder as unknown as PictureHolder<
    readonly AnyRequirement[]
  >
  return operation({
    base: 'site',
    scope: null,
    accepts: ['session'],
    errors: pageErrors,
    method: 'POST',
    path,
    cost: 'usual',
    // The types of the requirements between the session and the form are not known here.
    requires: [inBrowser, inSession, ...requires, pictureUpload] as unknown as readonly [
      typeof inBrowser,
      typeof inSession,
      typeof pictureUpload,
    ],
    body: uploadBody,
    reply: { 303: 'empty', 422: bytesOf('text/html') },
    async run({ ctx, call, params }) {
      const [file] = ctx.upload.files
      const set = file
        ? setAvatar(ctx, of(ctx), file.content.toString('base64'), ctx.viewer.id)
        : Promise.reject(new Invalid(texts.missing, 'picture_missing'))
      const { problem } = await attempt(set)
      const refused = refusedForm(pathOf(ctx), problem && { field: 'avatar', message: problem.message })
      if (refused) return formPage.showAgain({ ctx, params, call, refused, status: 422 })
      call.cookies.push(noticeCookie(ctx.config, texts.saved))
      return redirect(303, siteHref(ctx.config, formPathOf(ctx)))
    },
  })
}
