import { pageErrors } from '../../http/error-forms.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import { setAvatar } from '../../users/avatars/avatar.service.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { noticeCookie } from '../shell/notice.ts'
import { ownUpload, uploadBody } from '../shell/upload.requirements.ts'
import { siteHref } from '../ui/paths.ts'
import { settingsPage } from './profile.page.tsx'
import { settingsPath } from './settings-frame.tsx'
import { texts } from './texts.tsx'

const path = '/user/settings/avatar'

/** Sets the picture of the account. */
export const avatarSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path,
  requires: [inBrowser, inSession, ownUpload((config) => config.picture.avatarMaxFileSize)],
  body: uploadBody,
  reply: { 303: 'empty', 422: bytesOf('text/html') },
  async run({ ctx, call }) {
    const [file] = ctx.upload.files
    const { id } = ctx.viewer
    const set = file
      ? setAvatar(ctx, { kind: 'individual', id }, file.content.toString('base64'), id)
      : Promise.reject(new Invalid(texts.profile.pictureMissing, 'picture_missing'))
    const { problem } = await attempt(set)
    const refused = refusedForm(path, problem && { field: 'avatar', message: problem.message })
    if (refused) return settingsPage.showAgain({ ctx, params: {}, call, refused, status: 422 })
    call.cookies.push(noticeCookie(ctx.config, texts.profile.pictureSaved))
    return redirect(303, siteHref(ctx.config, settingsPath('profile')))
  },
})
