import { Type } from 'typebox'
import { pageQuery } from '../../../http/schema.ts'
import { Invalid, NotFound } from '../../../lib/errors.ts'
import { pageOrWhole } from '../../../lib/paging.ts'
import { pageOfApplications } from '../../../oauth/applications/application.service.ts'
import { listGrants, revokeGrant } from '../../../oauth/grant.service.ts'
import { issueToken, pageOfTokens, removeToken } from '../../../users/credentials/token.service.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { act, page } from '../../shell/page.tsx'
import { onceShown, takeShownOnce } from '../../shell/shown-once.ts'
import { ApplicationsView } from './applications.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { tokenScopes } from './token-scopes.ts'

const texts = settingsTexts.applications
const path = settingsPath('applications')
const text = Type.Optional(Type.String({ maxLength: 4096 }))
const id = Type.Optional(Type.Integer())

/** Shows access tokens, granted applications and the applications of the account. */
export const applicationsPage = page({
  path: '/user/settings/applications',
  twin: 'userGetOAuth2Applications',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('applications'),
  query: pageQuery,
  async load({ ctx, query, call }) {
    const { user, isAdmin } = ctx.viewer
    const rows = pageOrWhole(query, ctx.config.api)
    const hasOAuth = ctx.config.oauth2.enabled
    const [{ tokens }, grants, { applications }] = await Promise.all([
      pageOfTokens(ctx, user, rows),
      listGrants(ctx, user.id),
      pageOfApplications(ctx, user, rows),
    ])
    return { tokens, grants, applications, hasOAuth, isAdmin, shown: takeShownOnce(ctx, call, ['token']) }
  },
  meta: () => settingsMeta('applications'),
  view: ApplicationsView,
})

/** Creates an access token, which the page shows once. */
export const createTokenSubmit = act({
  path: '/user/settings/applications',
  twin: null,
  cost: 'usual',
  recentSignIn: true,
  requires: [],
  fields: {
    name: text,
    access: text,
    public_only: text,
    ...(Object.fromEntries(tokenScopes.map((scope) => [`scope_${scope}`, text])) as Record<
      `scope_${(typeof tokenScopes)[number]}`,
      typeof text
    >),
  },
  again: applicationsPage,
  problemFields: { token_name: 'name' },
  async run({ ctx, body }) {
    const name = (body.name ?? '').trim()
    if (name === '') throw new Invalid(texts.nameMissing, 'token_name_missing')
    const chosen = tokenScopes.flatMap((scope) => {
      const level = body[`scope_${scope}`]
      return level === 'read' || level === 'write' ? [`${level}:${scope}`] : []
    })
    const levels = body.access === 'all' ? ['all'] : chosen
    if (levels.length === 0) throw new Invalid(texts.scopeMissing, 'scope_missing')
    const scopes = [...levels, ...(body.public_only === undefined ? [] : ['public-only'])]
    const { token } = await issueToken(ctx, ctx.viewer.user, { name, scopes })
    return { to: path, cookies: [onceShown(ctx, { kind: 'token', name, secret: token })] }
  },
})

export const deleteTokenSubmit = act({
  path: '/user/settings/applications/delete',
  twin: null,
  cost: 'usual',
  requires: [],
  fields: { id },
  async run({ ctx, body }) {
    await removeToken(ctx, ctx.viewer.user, String(body.id ?? 0))
    return { to: path, notice: texts.tokenDeleted }
  },
})

/** Ends the access of an application. */
export const revokeGrantSubmit = act({
  path: '/user/settings/applications/revoke',
  twin: 'userRevokeOAuth2Grant',
  cost: 'usual',
  requires: [],
  fields: { id },
  async run({ ctx, body }) {
    if (body.id === undefined) throw new NotFound('the grant does not exist', 'oauth_grant_not_found')
    await revokeGrant(ctx, ctx.viewer.id, body.id)
    return { to: path, notice: texts.revoked }
  },
})
