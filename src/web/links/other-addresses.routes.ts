import { anyone } from '../../access/requirements.ts'
import { operation, type Operation } from '../../http/operation.ts'
import type { ParamNames } from '../../http/path.ts'
import { splitUrl } from '../../http/request-address.ts'
import { Moved } from '../../lib/errors.ts'
import { pathOf } from '../ui/paths.ts'

/**
 * Declares an address that leads to another one, with the query of the request. It checks no rights, because it tells
 * only what the caller has sent; the page there does.
 */
const leading = <const Path extends string>(
  path: Path,
  to: (params: Readonly<Record<ParamNames<Path>, string>>) => string,
): Operation =>
  operation({
    method: 'GET',
    base: 'site',
    path,
    cost: 'usual',
    scope: null,
    requires: [anyone],
    reply: { 303: 'empty' },
    run({ params, call }): Promise<never> {
      const target = to(params as Readonly<Record<ParamNames<Path>, string>>)
      const { search } = splitUrl(call.url)
      const mark = target.includes('?') ? '&' : '?'
      throw new Moved(303, search === '' ? target : `${target}${mark}${search}`)
    },
  })

// Of the instance.

/** Browsers ask for it where no page names an icon. */
export const faviconLink = leading('/favicon.ico', () => '/assets/icon.svg')
export const loginLink = leading('/login', () => '/user/login')
/** Password managers open it ("A Well-Known URL for Changing Passwords", W3C). */
export const changePasswordLink = leading('/.well-known/change-password', () => '/user/settings/account')

/** The size is left out: browsers scale the picture. */
export const avatarLink = leading('/user/avatar/{username}/{size}', ({ username }) => `${pathOf(username)}.png`)

// Of settings and administration, as other forges of the family have them.

export const accountActionsLink = leading('/user/settings/actions/{part}', () => '/user/settings/actions')
export const organizationActionsLink = leading('/org/{org}/settings/actions/{part}', ({ org }) =>
  pathOf('org', org, 'settings', 'actions'),
)
export const organizationHomeLink = leading('/org/{org}/dashboard', ({ org }) => pathOf(org))
export const administrationConfigLink = leading('/admin/config', () => '/admin')
export const administrationMonitorLink = leading('/admin/monitor', () => '/admin')
export const administrationStatsLink = leading('/admin/monitor/stats', () => '/admin')
export const administrationCheckLink = leading('/admin/self_check', () => '/admin')
export const administrationQueueLink = leading('/admin/monitor/queue', () => '/admin/jobs')
export const administrationNoticesLink = leading('/admin/notices', () => '/admin/audit')
export const systemHooksLink = leading('/admin/system-hooks', () => '/admin/hooks')
export const defaultHooksLink = leading('/admin/default-hooks', () => '/admin/hooks')
export const newSourceLink = leading('/admin/auths/new', () => '/admin/auths')

// Of repositories.

const repository = '/{username}/{reponame}'
type Of = Readonly<Record<'username' | 'reponame', string>>
const below = ({ username, reponame }: Of, ...rest: readonly string[]): string => pathOf(username, reponame, ...rest)

/** The clone address, opened in a browser. */
export const cloneAddressLink = leading(`${repository}.git`, (at) => below(at))
export const repositorySourceLink = leading(`${repository}/src`, (at) => below(at))
export const treeLink = leading(`${repository}/tree/{filepath+}`, ({ filepath, ...at }) => below(at, 'src', filepath))
export const blobLink = leading(`${repository}/blob/{filepath+}`, ({ filepath, ...at }) => below(at, 'src', filepath))
export const pullLink = leading(`${repository}/pull/{index}`, ({ index, ...at }) => below(at, 'pulls', index))
export const milestoneLink = leading(`${repository}/milestones/{id}`, ({ id, ...at }) => below(at, 'milestone', id))
export const contributorsLink = leading(`${repository}/contributors`, (at) => below(at, 'graphs', 'contributors'))
export const activityPartLink = leading(`${repository}/activity/{part}`, ({ part, ...at }) =>
  part === 'contributors' ? below(at, 'graphs', 'contributors') : below(at, 'activity'),
)
export const stargazersLink = leading(`${repository}/stargazers`, (at) => below(at, 'stars'))
export const runsLink = leading(`${repository}/actions/runs`, (at) => below(at, 'actions'))
export const workflowLink = leading(
  `${repository}/actions/workflows/{workflow}`,
  ({ workflow, ...at }) => `${below(at, 'actions')}?workflow=${encodeURIComponent(workflow)}`,
)
export const badgeLink = leading(`${repository}/badges/workflows/{workflow}/badge.svg`, ({ workflow, ...at }) =>
  below(at, 'actions', 'workflows', workflow, 'badge.svg'),
)
export const repositoryVariablesLink = leading(`${repository}/settings/actions/variables`, (at) =>
  below(at, 'settings', 'actions', 'secrets'),
)
export const repositoryActionsLink = leading(`${repository}/settings/actions`, (at) =>
  below(at, 'settings', 'actions', 'general'),
)
