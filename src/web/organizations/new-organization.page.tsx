import { Type } from 'typebox'
import type { Visibility } from '../../db/tables/accounts.ts'
import { Invalid } from '../../lib/errors.ts'
import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { createOrg } from '../../orgs/org.service.ts'
import { must } from '../../lib/verdict.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { NewOrganizationView } from './new-organization.view.tsx'
import { texts } from './texts.tsx'

const visibilities: ReadonlySet<string> = new Set(['public', 'limited', 'private'])

/** Shows the form of a new organization to whoever may create one. */
export const newOrganizationPage = page({
  path: '/org/create',
  requires: [inSession],
  async load({ ctx }) {
    must(mayCreateOrgs(ctx.config, ctx.viewer.user))
    return {}
  },
  meta: () => ({ title: texts.title }),
  view: NewOrganizationView,
})

export const createOrganization = act({
  path: '/org/create',
  requires: [],
  fields: {
    org_name: Type.Optional(Type.String()),
    full_name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    visibility: Type.Optional(Type.String()),
  },
  again: newOrganizationPage,
  problemFields: { name_: 'org_name' },
  async run({ ctx, body }) {
    const visibility = body.visibility ?? 'public'
    if (!visibilities.has(visibility)) throw new Invalid('the visibility is unknown', 'visibility_invalid')
    const org = await createOrg(ctx, ctx.viewer.user, ctx.viewer.user, {
      name: (body.org_name ?? '').trim(),
      fullName: body.full_name,
      description: body.description,
      visibility: visibility as Visibility,
    })
    return { to: pathOf(org.name) }
  },
})
