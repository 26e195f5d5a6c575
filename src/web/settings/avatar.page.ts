import { pageErrors } from '../../http/error-forms.ts'
import { operation } from '../../http/operation.ts'
import { pictureReplies, pictureUpload, setPicture } from '../frames/picture.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { uploadBody } from '../shell/upload.requirements.ts'
import { settingsPage } from './profile.page.tsx'
import { settingsPath } from './settings-frame.tsx'

/** Sets the picture of the account. */
export const avatarSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/user/settings/avatar',
  requires: [inBrowser, inSession, pictureUpload],
  body: uploadBody,
  reply: pictureReplies,
  run: ({ ctx, call, params }) =>
    setPicture(ctx, call, {
      of: { kind: 'individual', id: ctx.viewer.id },
      form: '/user/settings/avatar',
      to: settingsPath('profile'),
      again: settingsPage,
      params,
    }),
})
