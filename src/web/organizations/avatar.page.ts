import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { pictureAct } from '../shared/pictures/picture.ts'
import { orgSettingsPath } from './settings-frame.tsx'
import { orgSettingsPage } from './settings.page.tsx'

/** Sets the picture of an organization. */
export const orgAvatarSubmit = pictureAct({
  path: '/org/{org}/settings/avatar',
  requires: [inOrg, orgOwner],
  of: ({ org }) => ({ kind: 'organization', id: org.id }),
  pathOf: (ctx) => orgSettingsPath(ctx, 'profile', 'avatar'),
  formPage: orgSettingsPage,
  formPathOf: (ctx) => orgSettingsPath(ctx, 'profile'),
})
