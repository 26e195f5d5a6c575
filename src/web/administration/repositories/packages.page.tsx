import { siteAdmin } from '../../../access/requirements.ts'
import { pageOf } from '../../../lib/paging.ts'
import { packagesOfInstance, removePackage } from '../../../packages/instance-packages.service.ts'
import { targetUser } from '../../../users/subject.requirements.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { inAdministration } from '../administration-frame.tsx'
import { PackagesView } from './packages.view.tsx'
import { administrationTexts as texts } from '../../languages/texts.ts'
import { integer, text } from '../../ui/fields.ts'

/** Lists the packages of all owners, the newest first. */
export const administrationPackagesPage = page({
  path: '/admin/packages',
  twin: null,
  requires: [inSession, siteAdmin],
  cost: 'expensive',
  query: { q: text, type: text, page: integer },
  frame: inAdministration('packages'),
  async load({ ctx, query }) {
    const shown = pageOf({ page: query.page }, ctx.config.api)
    const filter = { type: query.type ?? '', text: query.q?.trim() ?? '' }
    return { filter, shown, ...(await packagesOfInstance(ctx, filter, shown)) }
  },
  meta: () => ({ title: texts.packages, isUnlisted: true }),
  view: PackagesView,
})

/** Deletes a package with all of its versions. */
export const administrationDeletePackage = act({
  path: '/admin/packages/{username}/{type}/{name}/delete',
  twin: null,
  cost: 'usual',
  requires: [siteAdmin, targetUser],
  async run({ ctx, params }) {
    const { name } = await removePackage(ctx, params.type, params.name)
    return { to: '/admin/packages', notice: texts.packageList.deleted(name) }
  },
})
