import type { Ctx, SubjectCtx } from '../../access/context.ts'
import { exploreSignIn } from '../../access/requirements.ts'
import { viewActs } from '../../activity/act-view.present.ts'
import { getFeed, getHeatmap } from '../../activity/feed.service.ts'
import { enumeration } from '../../http/schema.ts'
import { Moved } from '../../lib/errors.ts'
import { pageOf, type Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { pageOfMembers } from '../../orgs/member.service.ts'
import { listOrgsOf } from '../../orgs/org.service.ts'
import { browseRepos, type RepoBrowsing } from '../../repos/lists/browse.service.ts'
import { mayPinRepos } from '../../repos/social/pinned.policy.ts'
import { getPinnedRepos } from '../../repos/social/pinned.service.ts'
import { block, unblock } from '../../users/social/block.service.ts'
import { follow, pageOfFollowPeople, unfollow } from '../../users/social/follow.service.ts'
import { standingTo } from '../../users/social/standing.service.ts'
import { namedUser, targetUser, userVisible } from '../../users/subject.requirements.ts'
import { loadStanding } from '../frames/organization-frame.tsx'
import { act, page } from '../shell/page.tsx'
import { pathOf } from '../ui/paths.ts'
import { weeksOf } from './heatmap.rules.ts'
import { readProfileReadme } from './profile-readme.ts'
import { ProfileView, type ProfileContent, type ProfileTab } from './profile.view.tsx'
import { profileTexts as texts } from '../languages/texts.ts'
import { integer, text } from '../ui/fields.ts'

/** People shown beside an organization, and organizations beside a person. */
const besideSize = 20

interface TabQuery extends RepoBrowsing {
  readonly page?: number | undefined
}

const pageFor = (ctx: Ctx, number: number | undefined, limit: number): Page =>
  pageOf({ page: number, limit }, ctx.config.api)

/** Returns whether the person shows their activity to others, of whom the viewer is one, not at all. */
const isActivityHidden = ({ viewer, subject }: SubjectCtx): boolean =>
  subject.hide_activity && viewer?.isAdmin !== true && viewer?.id !== subject.id

/** Returns the heat map of a person; undefined without one. */
const weeksWith = async (ctx: SubjectCtx) =>
  ctx.config.service.enableUserHeatmap && ctx.subject.kind !== 'organization'
    ? weeksOf(await getHeatmap(ctx, ctx.subject.id), nowUnix(ctx.clock))
    : undefined

const tabs: Readonly<Record<ProfileTab, (ctx: SubjectCtx, query: TabQuery) => Promise<ProfileContent>>> = {
  async repositories(ctx, query) {
    const { subject, config } = ctx
    const found = await browseRepos(
      ctx,
      { ownedBy: subject },
      query,
      pageFor(ctx, query.page, config.ui.repoSearchPagingNum),
    )
    const isPlain = found.page.number === 1 && !query.text && !query.language && !query.kind
    if (!isPlain) return { tab: 'repositories', found, query }
    const [readme, pinned, weeks] = await Promise.all([
      readProfileReadme(ctx, subject),
      getPinnedRepos(ctx),
      isActivityHidden(ctx) ? undefined : weeksWith(ctx),
    ])
    return { tab: 'repositories', found, query, readme, pinned, weeks }
  },
  async activity(ctx, query) {
    const { subject, config } = ctx
    const at = pageFor(ctx, query.page, config.ui.feedPagingNum)
    const isOrg = subject.kind === 'organization'
    const isHidden = isActivityHidden(ctx)
    if (isHidden) return { tab: 'activity', isHidden, acts: [], weeks: undefined, page: at, isLast: true }
    const source = isOrg
      ? ({ of: 'owner', id: subject.id } as const)
      : ({ of: 'account', id: subject.id, ownActsOnly: true } as const)
    const [feed, weeks] = await Promise.all([getFeed(ctx, source, undefined, at), weeksWith(ctx)])
    return {
      tab: 'activity',
      isHidden,
      acts: await viewActs(ctx, feed.acts),
      weeks,
      page: at,
      isLast: at.offset + feed.acts.length >= feed.total && feed.bound === undefined,
    }
  },
  async stars(ctx, query) {
    const at = pageFor(ctx, query.page, ctx.config.ui.repoSearchPagingNum)
    return { tab: 'stars', found: await browseRepos(ctx, { starredBy: ctx.subject }, query, at), query }
  },
  followers: (ctx, query) => followPeople(ctx, 'followers', query),
  following: (ctx, query) => followPeople(ctx, 'following', query),
}

async function followPeople(ctx: SubjectCtx, tab: 'followers' | 'following', query: TabQuery): Promise<ProfileContent> {
  const { viewer, subject, config } = ctx
  // The lists of the API need a sign-in as well.
  if (!viewer) {
    const back = encodeURIComponent(`${pathOf(subject.name)}?tab=${tab}`)
    throw new Moved(303, `/user/login?redirect_to=${back}`)
  }
  const at = pageFor(ctx, query.page, config.ui.membersPagingNum)
  const { users, total } = await pageOfFollowPeople({ ...ctx, viewer }, tab, subject, at)
  return { tab, people: users, total, page: at }
}

/** A person or an organization. */
export const profile = page({
  path: '/{username}',
  twin: 'userGet',
  requires: [namedUser, userVisible, exploreSignIn],
  cost: 'expensive',
  query: {
    tab: text,
    q: text,
    sort: text,
    language: text,
    kind: text,
    page: integer,
  },
  async load({ ctx, query }) {
    const { subject, viewer } = ctx
    const isOrg = subject.kind === 'organization'
    const browsing = { text: query.q, sort: query.sort, language: query.language, kind: query.kind, page: query.page }
    const hasStars = !ctx.config.repository.disableStars
    const wanted = (query.tab ?? '') as ProfileTab
    const isKnown = Object.hasOwn(tabs, wanted) && (hasStars || wanted !== 'stars')
    const name: ProfileTab = isKnown && !(isOrg && ['stars', 'following'].includes(wanted)) ? wanted : 'repositories'
    const first = { number: 1, limit: besideSize, offset: 0 }
    const [content, standing, inOrg, members, organizations] = await Promise.all([
      tabs[name](ctx, browsing),
      viewer ? standingTo({ ...ctx, viewer }, subject) : undefined,
      isOrg ? loadStanding(ctx, subject) : undefined,
      isOrg ? pageOfMembers(ctx, subject, first, false) : undefined,
      !isOrg && viewer ? listOrgsOf({ ...ctx, viewer }, subject, first) : undefined,
    ])
    return {
      subject,
      content,
      standing,
      mayPin: viewer !== undefined && mayPinRepos(viewer, subject, inOrg?.role).allowed,
      inOrg: inOrg ?? { role: undefined, readsProjects: false },
      members: members?.users ?? [],
      memberTotal: members?.total ?? 0,
      organizations: organizations?.orgs ?? [],
    }
  },
  meta: ({ subject }) => ({
    title: subject.full_name === '' ? subject.name : `${subject.full_name} (${subject.name})`,
    description: subject.description,
    canonical: pathOf(subject.name),
    feeds: (['rss', 'atom'] as const).map((type) => ({
      to: `${pathOf(subject.name)}.${type}`,
      type,
      title: texts.feed(subject.name),
    })),
  }),
  view: ProfileView,
})

/** Follows or blocks an account, or ends it. */
export const changeStanding = act({
  path: '/{username}/-/standing/{change}',
  twin: null,
  cost: 'usual',
  requires: [targetUser],
  params: { change: enumeration('follow', 'unfollow', 'block', 'unblock') },
  async run({ ctx, params }) {
    const { subject, viewer } = ctx
    const to = pathOf(subject.name)
    switch (params.change) {
      case 'follow':
        await follow(ctx, subject)
        return { to }
      case 'unfollow':
        await unfollow(ctx, subject)
        return { to }
      case 'block':
        await block(ctx, viewer.user, subject)
        return { to, notice: texts.blocked(subject.name) }
      case 'unblock':
        await unblock(ctx, viewer.user, subject)
        return { to, notice: texts.unblocked(subject.name) }
    }
  },
})
