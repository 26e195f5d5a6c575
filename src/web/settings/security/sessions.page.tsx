import { Type } from 'typebox'
import { endOtherSessions, endSession, sessionsOf } from '../../../auth/session.service.ts'
import { NotFound } from '../../../lib/errors.ts'
import type { SessionId } from '../../../lib/ids.ts'
import { inSession } from '../../shell/browser.requirements.ts'
import { noSessionCookies } from '../../shell/cookies.ts'
import { act, page } from '../../shell/page.tsx'
import { SessionsView } from './sessions.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts as texts } from '../../languages/texts.ts'

/** Shows the signed-in browsers. */
export const sessionsPage = page({
  path: '/user/settings/sessions',
  twin: 'userListSessions',
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('sessions'),
  load: async ({ ctx }) => ({ sessions: await sessionsOf(ctx, ctx.viewer.id), currentId: ctx.sessionId }),
  meta: () => settingsMeta('sessions'),
  view: SessionsView,
})

/** Signs out one browser, possibly this one. */
export const endSessionSubmit = act({
  path: '/user/settings/sessions/end',
  twin: 'userEndSession',
  cost: 'usual',
  requires: [],
  fields: { id: Type.Optional(Type.Integer()) },
  async run({ ctx, body }) {
    const id = body.id as SessionId | undefined
    if (id === undefined || !(await endSession(ctx, ctx.viewer.id, id))) {
      throw new NotFound('the session does not exist', 'session_not_found')
    }
    return id === ctx.sessionId
      ? { to: '/user/login', cookies: noSessionCookies(ctx.config) }
      : { to: settingsPath('sessions'), notice: texts.sessions.ended }
  },
})

/** Signs out every other browser. */
export const endOtherSessionsSubmit = act({
  path: '/user/settings/sessions/end_others',
  twin: null,
  cost: 'usual',
  requires: [],
  async run({ ctx }) {
    await endOtherSessions(ctx, ctx.viewer.id, ctx.sessionId)
    return { to: settingsPath('sessions'), notice: texts.sessions.othersEnded }
  },
})
