import { Type } from 'typebox'
import { siteAdmin } from '../../../access/requirements.ts'
import { Invalid } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { createOrg, listVisibleOrgs } from '../../../orgs/org.service.ts'
import { findShownUser } from '../../../users/user.service.ts'
import { visibilityOf } from '../../../users/visibility.rules.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { NewOrganizationView, OrganizationsView } from './organizations.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, textUpTo } from '../../ui/fields.ts'

const text = () => textUpTo(4096)

/** Lists the organizations of the instance. */
export const administrationOrganizationsPage = page({
  path: '/admin/orgs',
  twin: 'adminGetAllOrgs',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  query: { q: Type.Optional(Type.String()), page: integer },
  frame: inAdministration('organizations'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const { orgs, total } = await listVisibleOrgs(ctx, shown, (query.q ?? '').trim())
    return { orgs, total, shown, text: query.q ?? '' }
  },
  meta: () => ({ title: texts.organizations, isUnlisted: true }),
  view: OrganizationsView,
})

/** Shows the form of a new organization with any owner. */
export const administrationNewOrganizationPage = page({
  path: '/admin/orgs/new',
  twin: 'adminCreateOrg',
  cost: 'usual',
  requires: [inSession, siteAdmin],
  frame: inAdministration('organizations'),
  load: async ({ ctx }) => ({ owner: ctx.viewer.user.name, visibility: ctx.config.service.defaultOrgVisibility }),
  meta: () => ({ title: texts.orgs.new, isUnlisted: true }),
  view: NewOrganizationView,
})

export const administrationCreateOrganization = act({
  path: '/admin/orgs/new',
  twin: 'adminCreateOrg',
  cost: 'usual',
  requires: [siteAdmin],
  fields: { owner: text(), org_name: text(), full_name: text(), description: text(), visibility: text() },
  again: administrationNewOrganizationPage,
  problemFields: { name_: 'org_name', owner_: 'owner', org_creation: 'owner' },
  async run({ ctx, body }) {
    const owner = await findShownUser(ctx, (body.owner ?? '').trim())
    if (owner?.kind !== 'individual') throw new Invalid(texts.orgs.noOwner, 'owner_not_found')
    const org = await createOrg(ctx, ctx.viewer.user, owner, {
      name: (body.org_name ?? '').trim(),
      fullName: body.full_name,
      description: body.description,
      visibility: visibilityOf(body.visibility),
    })
    return { to: '/admin/orgs', notice: texts.orgs.made(org.name) }
  },
})
