import { hash } from 'node:crypto'
import type { Ctx } from '../access/context.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { actionsUserId, type UserId } from '../lib/ids.ts'
import { formatUnix, zeroTime } from '../lib/time.ts'
import type { User } from './user.schemas.ts'

/** How much of an account is shown: to everybody, to the signed-in, or all of it (to itself and administrators). */
export type Sight = 'guest' | 'other' | 'all'

/** How much of an account is shown to the viewer. */
export function sightOf(viewer: Viewer | undefined, id: UserId): Sight {
  if (!viewer) return 'guest'
  return viewer.isAdmin || viewer.id === id ? 'all' : 'other'
}

/** The address that stands for a hidden one. */
export const placeholderEmail = (ctx: Pick<Ctx, 'config'>, user: UserRow): string =>
  `${user.lower_name}@${ctx.config.service.noReplyAddress}`

/** Address of the picture: a new one each time it changes. */
export const avatarUrl = (ctx: Pick<Ctx, 'config'>, user: UserRow): string => {
  const name =
    user.avatar_key === '' ? hash('md5', `${user.id}:${user.lower_name}`, 'hex') : user.avatar_key.split('/').at(-1)
  return `${ctx.config.server.rootUrl}avatars/${name}`
}

function presentAs(ctx: Pick<Ctx, 'config'>, user: UserRow, sight: Sight): User {
  if (user.id === actionsUserId) return actionsUser(ctx)
  const all = sight === 'all'
  const isOrganization = user.kind === 'organization'
  const hidesEmail = !isOrganization && (sight === 'guest' || (sight === 'other' && user.keep_email_private))
  return {
    id: user.id,
    login: user.name,
    login_name: all ? user.login_name : '',
    source_id: all ? user.login_source_id : 0,
    full_name: user.full_name,
    email: hidesEmail ? placeholderEmail(ctx, user) : user.email,
    avatar_url: avatarUrl(ctx, user),
    html_url: `${ctx.config.server.rootUrl}${encodeURIComponent(user.name)}`,
    language: all ? user.language : '',
    is_admin: all && user.is_admin,
    last_login: all ? formatUnix(user.last_login_unix) : zeroTime,
    created: formatUnix(user.created_unix),
    restricted: user.is_restricted,
    active: all && user.is_active,
    // Nobody signs in as an organization; its row says so, what is shown does not (observed).
    prohibit_login: all && !isOrganization && user.prohibit_login,
    location: user.location,
    pronouns: sight === 'guest' && user.hide_pronouns ? '' : user.pronouns,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: user.num_followers,
    following_count: user.num_following,
    starred_repos_count: user.num_stars,
    username: user.name,
  }
}

/** An account as the viewer may see it: all of it to itself and to administrators. */
export const presentUser = (ctx: Pick<Ctx, 'config' | 'viewer'>, user: UserRow): User =>
  presentAs(ctx, user, sightOf(ctx.viewer, user.id))

/** An account as another signed-in person sees it, whoever asks: the owner inside of a repository. */
export const presentPublicUser = (ctx: Pick<Ctx, 'config'>, user: UserRow): User => presentAs(ctx, user, 'other')

/** What stands for the author of a thing whose account was deleted. */
export const ghostUser = (ctx: Pick<Ctx, 'config'>): User => ({
  id: -1,
  login: 'Ghost',
  login_name: '',
  source_id: 0,
  full_name: '',
  email: '',
  avatar_url: `${ctx.config.server.rootUrl}assets/img/avatar_default.png`,
  html_url: `${ctx.config.server.rootUrl}Ghost`,
  language: '',
  is_admin: false,
  last_login: zeroTime,
  created: formatUnix(0),
  restricted: false,
  active: false,
  prohibit_login: false,
  location: '',
  pronouns: '',
  website: '',
  description: '',
  visibility: 'public',
  followers_count: 0,
  following_count: 0,
  starred_repos_count: 0,
  username: 'Ghost',
})

/** The account that workflow jobs act as. */
export const actionsUser = (ctx: Pick<Ctx, 'config'>): User => ({
  ...ghostUser(ctx),
  id: actionsUserId,
  login: 'forgejo-actions',
  login_name: 'forgejo-actions',
  full_name: 'Forgejo Actions',
  email: 'noreply@forgejo.org',
  last_login: formatUnix(0),
  active: true,
  html_url: `${ctx.config.server.rootUrl}forgejo-actions`,
  username: 'forgejo-actions',
})

/**
 * The account, or Ghost by the name of who has none here: the one that they have on the server where what they wrote was
 * imported from. It is no login of here, which anybody could take or be taken for.
 */
export const presentWriter = (
  ctx: Pick<Ctx, 'config' | 'viewer'>,
  user: UserRow | undefined,
  originalAuthor: string,
): User => (originalAuthor === '' ? presentAuthor(ctx, user) : { ...ghostUser(ctx), full_name: originalAuthor })

/** The account, or Ghost when it is gone. */
export const presentAuthor = (ctx: Pick<Ctx, 'config' | 'viewer'>, user: UserRow | undefined): User =>
  user ? presentUser(ctx, user) : ghostUser(ctx)
