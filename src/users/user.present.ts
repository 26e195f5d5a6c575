import { hash } from 'node:crypto'
import type { Ctx } from '../access/context.ts'
import type { Viewer } from '../auth/viewer.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import { actionsUserId, type UserId } from '../lib/ids.ts'
import { formatUnix, zeroTime } from '../lib/time.ts'
import type { User } from './user.schemas.ts'

/** Visible parts of an account: to guests, to signed-in people, or everything (to itself and administrators). */
export type Sight = 'guest' | 'other' | 'all'

/** Returns how much of an account the viewer sees. */
export function sightOf(viewer: Viewer | undefined, id: UserId): Sight {
  if (!viewer) return 'guest'
  return viewer.isAdmin || viewer.id === id ? 'all' : 'other'
}

/** Returns the address that replaces a hidden one. */
export const placeholderEmail = (ctx: Pick<Ctx, 'config'>, user: UserRow): string =>
  `${user.lower_name}@${ctx.config.service.noReplyAddress}`

/** Returns the address of the picture, which changes with the picture. */
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
    // The row of an organization prohibits sign-in, but the reply does not show it (observed).
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

/** Presents an account to the viewer; the account itself and administrators see everything. */
export const presentUser = (ctx: Pick<Ctx, 'config' | 'viewer'>, user: UserRow): User =>
  presentAs(ctx, user, sightOf(ctx.viewer, user.id))

/** Presents an account as other signed-in people see it, such as the owner within a repository. */
export const presentPublicUser = (ctx: Pick<Ctx, 'config'>, user: UserRow): User => presentAs(ctx, user, 'other')

/** Stands for the author of content whose account was deleted. */
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

/** Presents the account of workflow jobs. */
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
 * Presents the account, or Ghost with the author's name on the server that the content was imported from. That name is
 * not a login here.
 */
export const presentWriter = (
  ctx: Pick<Ctx, 'config' | 'viewer'>,
  user: UserRow | undefined,
  originalAuthor: string,
): User => (originalAuthor === '' ? presentAuthor(ctx, user) : { ...ghostUser(ctx), full_name: originalAuthor })

/** Presents the account, or Ghost when it does not exist. */
export const presentAuthor = (ctx: Pick<Ctx, 'config' | 'viewer'>, user: UserRow | undefined): User =>
  user ? presentUser(ctx, user) : ghostUser(ctx)
