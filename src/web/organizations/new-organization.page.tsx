import { mayCreateOrgs } from '../../orgs/org.policy.ts'
import { createOrg } from '../../orgs/org.service.ts'
import { must } from '../../lib/verdict.ts'
import { visibilityOf } from '../../users/visibility.rules.ts'
import { inSession } from '../shell/browser.requirements.ts'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { NewOrganizationView } from './new-organization.view.tsx'
import { newOrganizationTexts as texts } from '../languages/texts.ts'
import { text } from '../ui/fields.ts'

/** Shows the form of a new organization to whoever may create one. */
export const newOrganizationPage = page({
  path: '/org/create',
  twin: 'orgCreate',
  cost: 'usual',
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
  twin: 'orgCreate',
  cost: 'usual',
  requires: [],
  fields: {
    org_name: text,
    full_name: text,
    description: text,
    visibility: text,
  },
  again: newOrganizationPage,
  problemFields: { name_: 'org_name' },
  async run({ ctx, body }) {
    const org = await createOrg(ctx, ctx.viewer.user, ctx.viewer.user, {
      name: (body.org_name ?? '').trim(),
      fullName: body.full_name,
      description: body.description,
      visibility: visibilityOf(body.visibility) ?? 'public',
    })
    return { to: pathOf(org.name) }
  },
})
