import { inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { pageErrors } from '../../../http/error-forms.ts'
import { operation } from '../../../http/operation.ts'
import { removeAvatar } from '../../../users/avatars/avatar.service.ts'
import { pictureReplies, pictureUpload, setPicture } from '../../frames/picture.ts'
import { texts } from '../../frames/picture.texts.tsx'
import { inBrowser, inSession } from '../../shell/browser.requirements.ts'
import { act } from '../../shell/page.tsx'
import { uploadBody } from '../../shell/upload.requirements.ts'
import { settingsPath } from './frame.tsx'
import { repositorySettingsPage } from './general.page.tsx'

/** Sets the picture of a repository. */
export const repositoryAvatarSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/{username}/{reponame}/settings/avatar',
  requires: [inBrowser, inSession, inRepo, repoAdmin, pictureUpload],
  body: uploadBody,
  reply: pictureReplies,
  run: ({ ctx, call, params }) =>
    setPicture(ctx, call, {
      of: { kind: 'repo', id: ctx.repo.id },
      form: settingsPath(ctx, 'avatar'),
      to: settingsPath(ctx),
      again: repositorySettingsPage,
      params,
    }),
})

export const deleteRepositoryAvatarSubmit = act({
  path: '/{username}/{reponame}/settings/avatar/delete',
  requires: [inRepo, repoAdmin],
  async run({ ctx }) {
    await removeAvatar(ctx, { kind: 'repo', id: ctx.repo.id }, ctx.viewer.id)
    return { to: settingsPath(ctx), notice: texts.removed }
  },
})
