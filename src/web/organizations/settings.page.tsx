import { Invalid } from '../../lib/errors.ts'
import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { deleteOrg, editOrg } from '../../orgs/org.service.ts'
import { renameAccount } from '../../users/account-name.service.ts'
import { removeAvatar } from '../../users/avatars/avatar.service.ts'
import { orgPath } from '../frames/organization-frame.tsx'
import { pictureTexts } from '../languages/texts.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { inOrgSettings, orgSettingsMeta, orgSettingsPath } from './settings-frame.tsx'
import { OrgSettingsView, orgProfileForm } from './settings.view.tsx'
import { organizationTexts as commonTexts, organizationSettingsTexts as texts } from '../languages/texts.ts'
import { textUpTo } from '../ui/fields.ts'

const text = textUpTo(255)

/** Shows what others see of the organization, its picture, and the forms to rename and delete it. */
export const orgSettingsPage = page({
  path: '/org/{org}/settings',
  twin: 'orgEdit',
  cost: 'usual',
  requires: [inSession, inOrg, orgOwner],
  frame: inOrgSettings('profile'),
  load: async ({ ctx }) => ({ org: ctx.org }),
  meta: (_data, { ctx }) => orgSettingsMeta('profile', ctx),
  view: OrgSettingsView,
})

/** Changes the profile of an organization. */
export const editOrgSubmit = act({
  path: '/org/{org}/settings',
  edits: true,
  twin: 'orgEdit',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  ...orgProfileForm.act,
  again: orgSettingsPage,
  async run({ ctx, body }) {
    await editOrg(ctx, ctx.org, orgProfileForm.read(body))
    return { to: orgSettingsPath(ctx, 'profile'), notice: texts.saved }
  },
})

/** Shows the generated picture again. */
export const deleteOrgAvatarSubmit = act({
  path: '/org/{org}/settings/avatar/delete',
  twin: 'orgDeleteAvatar',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  async run({ ctx }) {
    await removeAvatar(ctx, { kind: 'organization', id: ctx.org.id }, ctx.viewer.id)
    return { to: orgSettingsPath(ctx, 'profile'), notice: pictureTexts.removed }
  },
})

/** Renames an organization. */
export const renameOrgSubmit = act({
  path: '/org/{org}/settings/rename',
  twin: 'renameOrg',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields: { new_name: text },
  again: orgSettingsPage,
  problemFields: { name: 'new_name' },
  async run({ ctx, body }) {
    const name = (body.new_name ?? '').trim()
    await renameAccount(ctx, ctx.org, name, ctx.viewer.id)
    return { to: orgPath({ name }, 'settings'), notice: texts.renamed(name) }
  },
})

/** Deletes an organization that owns nothing. */
export const deleteOrgSubmit = act({
  path: '/org/{org}/settings/delete',
  twin: 'orgDelete',
  cost: 'usual',
  requires: [inOrg, orgOwner],
  fields: { confirm: text },
  again: orgSettingsPage,
  async run({ ctx, body }) {
    if ((body.confirm ?? '').trim() !== ctx.org.name) {
      throw new Invalid(commonTexts.wrongName, 'confirm_wrong', { field: 'confirm' })
    }
    await deleteOrg(ctx, ctx.org, ctx.viewer.id)
    return { to: '/', notice: texts.deleted(ctx.org.name) }
  },
})
