import { pageErrors } from '../../http/error-forms.ts'
import { bytesOf, operation } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { Invalid } from '../../lib/errors.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { setAvatar } from '../../users/avatars/avatar.service.ts'
import { attempt, refusedForm } from '../shell/attempt.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { noticeCookie } from '../shell/notice.ts'
import { ownUpload, uploadBody } from '../shell/upload.requirements.ts'
import { siteHref } from '../ui/paths.ts'
import { orgSettingsPath } from './settings-frame.tsx'
import { orgSettingsPage } from './settings.page.tsx'
import { settingsTexts as texts } from './texts.tsx'

/** Sets the picture of an organization. */
export const orgAvatarSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/org/{org}/settings/avatar',
  requires: [inBrowser, inSession, inOrg, orgOwner, ownUpload((config) => config.picture.avatarMaxFileSize)],
  body: uploadBody,
  reply: { 303: 'empty', 422: bytesOf('text/html') },
  async run({ ctx, call, params }) {
    const [file] = ctx.upload.files
    const set = file
      ? setAvatar(ctx, { kind: 'organization', id: ctx.org.id }, file.content.toString('base64'), ctx.viewer.id)
      : Promise.reject(new Invalid(texts.pictureMissing, 'picture_missing'))
    const { problem } = await attempt(set)
    const action = orgSettingsPath(ctx, 'profile', 'avatar')
    const refused = refusedForm(action, problem && { field: 'avatar', message: problem.message })
    if (refused) return orgSettingsPage.showAgain({ ctx, params, call, refused, status: 422 })
    call.cookies.push(noticeCookie(ctx.config, texts.pictureSaved))
    return redirect(303, siteHref(ctx.config, orgSettingsPath(ctx, 'profile')))
  },
})
