import { inRepo, repoAdmin } from '../../../access/repo.requirements.ts'
import { removeAvatar } from '../../../users/avatars/avatar.service.ts'
import { pictureAct } from '../../shared/pictures/picture.ts'
import { pictureTexts as texts } from '../../languages/texts.ts'
import { act } from '../../shell/page.tsx'
import { settingsPath } from './frame.tsx'
import { repositorySettingsPage } from './general.page.tsx'

/** Sets the picture of a repository. */
export const repositoryAvatarSubmit = pictureAct({
  path: '/{username}/{reponame}/settings/avatar',
  requires: [inRepo, repoAdmin],
  of: ({ repo }) => ({ kind: 'repo', id: repo.id }),
  pathOf: (ctx) => settingsPath(ctx, 'avatar'),
  formPage: repositorySettingsPage,
  formPathOf: (ctx) => settingsPath(ctx),
})

export const deleteRepositoryAvatarSubmit = act({
  path: '/{username}/{reponame}/settings/avatar/delete',
  twin: 'repoDeleteAvatar',
  cost: 'usual',
  requires: [inRepo, repoAdmin],
  async run({ ctx }) {
    await removeAvatar(ctx, { kind: 'repo', id: ctx.repo.id }, ctx.viewer.id)
    return { to: settingsPath(ctx), notice: texts.removed }
  },
})
