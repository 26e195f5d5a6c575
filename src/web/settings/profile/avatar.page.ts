import { pictureAct } from '../../shared/pictures/picture.ts'
import { settingsPage } from './profile.page.tsx'
import { settingsPath } from '../settings-frame.tsx'

/** Sets the picture of the account. */
export const avatarSubmit = pictureAct({
  path: '/user/settings/avatar',
  requires: [],
  of: ({ viewer }) => ({ kind: 'individual', id: viewer.id }),
  pathOf: () => '/user/settings/avatar',
  formPage: settingsPage,
  formPathOf: () => settingsPath('profile'),
})
