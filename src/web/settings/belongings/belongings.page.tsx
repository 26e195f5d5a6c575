import { pageQuery } from '../../../http/schema.ts'
import { NotFound } from '../../../lib/errors.ts'
import { pageOf } from '../../../lib/paging.ts'
import { removeMember } from '../../../orgs/member.service.ts'
import { mayCreateOrgs } from '../../../orgs/org.policy.ts'
import { listOrgsOf } from '../../../orgs/org.service.ts'
import { pageOfOwnTeams } from '../../../orgs/team.service.ts'
import { presentQuota } from '../../../quota/quota.present.ts'
import { quotaOn } from '../../../quota/quota.requirements.ts'
import { viewQuota } from '../../../quota/view.service.ts'
import { listOwnRepos } from '../../../repos/lists/repo-list.service.ts'
import { presentRepos } from '../../../repos/repo.present.ts'
import { findShownUser } from '../../../users/user.service.ts'
import { StorageView } from '../../shared/storage/storage.view.tsx'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { OrganizationsView, ReposView } from './belongings.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

/** Shows the repositories that the account owns or contributes to. */
export const ownReposPage = page({
  path: '/user/settings/repos',
  twin: 'userCurrentListRepos',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('repos'),
  query: pageQuery,
  async load({ ctx, query }) {
    const rows = pageOf(query, ctx.config.api)
    const { repos, total } = await listOwnRepos(ctx, undefined, rows)
    const sizes = new Map(repos.map((repo) => [repo.id as number, repo.git_size_bytes + repo.lfs_size_bytes]))
    return { repos: await presentRepos(ctx, repos), sizes, total, page: rows.number, pageSize: rows.limit }
  },
  meta: () => settingsMeta('repos'),
  view: ReposView,
})

/** Most teams of the person that the page with the organizations names. */
const maxTeams = 200

/** Shows the organizations of the person, with their teams. */
export const ownOrganizationsPage = page({
  path: '/user/settings/organization',
  twin: 'orgListCurrentUserOrgs',
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('organization'),
  query: pageQuery,
  async load({ ctx, query }) {
    const rows = pageOf(query, ctx.config.api)
    const [{ orgs, total }, { teams }] = await Promise.all([
      listOrgsOf(ctx, ctx.viewer.user, rows),
      pageOfOwnTeams(ctx, { number: 1, limit: maxTeams, offset: 0 }),
    ])
    const mayCreate = mayCreateOrgs(ctx.config, ctx.viewer.user).allowed
    const belonging = orgs.map((org) => ({ org, teams: teams.filter((team) => team.org_id === org.id) }))
    return { orgs: belonging, total, page: rows.number, pageSize: rows.limit, mayCreate }
  },
  meta: () => settingsMeta('organization'),
  view: OrganizationsView,
})

/** Leaves an organization. */
export const leaveOrganizationSubmit = act({
  path: '/user/settings/organization/leave',
  twin: null,
  cost: 'usual',
  requires: [],
  fields: { name: textUpTo(255) },
  again: ownOrganizationsPage,
  async run({ ctx, body }) {
    const org = await findShownUser(ctx, body.name ?? '')
    if (org?.kind !== 'organization') throw new NotFound('the organization does not exist', 'org_not_found')
    await removeMember(ctx, org, ctx.viewer.user)
    return { to: settingsPath('organization'), notice: texts.organizations.left(org.name) }
  },
})

/** Shows what the account stores, and its limits. */
export const storagePage = page({
  path: '/user/settings/storage_overview',
  twin: 'userGetQuota',
  cost: 'usual',
  requires: [quotaOn, inSession],
  frame: inSettings('storage'),
  load: async ({ ctx }) => presentQuota(await viewQuota(ctx, ctx.viewer.user), 'nameless'),
  meta: () => settingsMeta('storage'),
  view: StorageView,
})
