import { pageErrors } from '../../http/error-forms.ts'
import { operation } from '../../http/operation.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { pictureReplies, pictureUpload, setPicture } from '../frames/picture.ts'
import { inBrowser, inSession } from '../shell/browser.requirements.ts'
import { uploadBody } from '../shell/upload.requirements.ts'
import { orgSettingsPath } from './settings-frame.tsx'
import { orgSettingsPage } from './settings.page.tsx'

/** Sets the picture of an organization. */
export const orgAvatarSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/org/{org}/settings/avatar',
  requires: [inBrowser, inSession, inOrg, orgOwner, pictureUpload],
  body: uploadBody,
  reply: pictureReplies,
  run: ({ ctx, call, params }) =>
    setPicture(ctx, call, {
      of: { kind: 'organization', id: ctx.org.id },
      form: orgSettingsPath(ctx, 'profile', 'avatar'),
      to: orgSettingsPath(ctx, 'profile'),
      again: orgSettingsPage,
      params,
    }),
})
