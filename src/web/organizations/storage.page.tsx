import { inOrg, orgOwner } from '../../orgs/org.requirements.ts'
import { presentQuota } from '../../quota/quota.present.ts'
import { quotaOn } from '../../quota/quota.requirements.ts'
import { viewQuota } from '../../quota/view.service.ts'
import { StorageView } from '../shared/storage/storage.view.tsx'
import { inSession } from '../shell/browser.requirements.ts'
import { page } from '../shell/page.tsx'
import { inOrgSettings, orgSettingsMeta } from './settings-frame.tsx'

/** Shows what an organization stores, and its limits. */
export const orgStoragePage = page({
  path: '/org/{org}/settings/storage_overview',
  twin: 'orgGetQuota',
  cost: 'usual',
  requires: [quotaOn, inSession, inOrg, orgOwner],
  frame: inOrgSettings('storage'),
  load: async ({ ctx }) => ({ ...presentQuota(await viewQuota(ctx, ctx.org), 'nameless'), org: ctx.org }),
  meta: (_data, { ctx }) => orgSettingsMeta('storage', ctx),
  view: StorageView,
})
