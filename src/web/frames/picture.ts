import { bytesOf, type Call } from '../../http/operation.ts'
import { redirect, type Reply, type StreamReply } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import { setAvatar } from '../../users/avatars/avatar.service.ts'
import type { PictureOf } from '../../users/avatars/avatar.store.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import type { SignedInCtx } from '../../access/context.ts'
import { noticeCookie } from '../shell/notice.ts'
import type { Page } from '../shell/page.tsx'
import { ownUpload, type Upload } from '../shell/upload.requirements.ts'
import { siteHref } from '../ui/paths.ts'
import { texts } from './picture.texts.tsx'

/** Reads the form of a picture; the last of its requirements. */
export const pictureUpload = ownUpload((config) => config.picture.avatarMaxFileSize)

/** Replies to the form of a picture. */
export const pictureReplies = { 303: 'empty', 422: bytesOf('text/html') } as const

/** Sets the picture that a form contains, and leads to a page; or shows the form's page again with the problem. */
export async function setPicture(
  ctx: BrowserCtx & SignedInCtx & { readonly upload: Upload },
  call: Call,
  {
    of,
    form,
    to,
    again,
    params,
  }: {
    readonly of: PictureOf
    /** Path of the form. */
    readonly form: string
    readonly to: string
    readonly again: Page
    readonly params: Readonly<Record<string, unknown>>
  },
): Promise<Reply<303, undefined> | StreamReply<422>> {
  const [file] = ctx.upload.files
  const set = file
    ? setAvatar(ctx, of, file.content.toString('base64'), ctx.viewer.id)
    : Promise.reject(new Invalid(texts.missing, 'picture_missing'))
  const { problem } = await attempt(set)
  const refused = refusedForm(form, problem && { field: 'avatar', message: problem.message })
  if (refused) return again.showAgain({ ctx, params, call, refused, status: 422 })
  call.cookies.push(noticeCookie(ctx.config, texts.saved))
  return redirect(303, siteHref(ctx.config, to))
}
