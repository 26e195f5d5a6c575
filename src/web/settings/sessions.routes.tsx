import { Type } from 'typebox'
import { endOtherSessions, endSession, sessionsOf } from '../../auth/session.service.ts'
import type { SessionRow } from '../../db/tables/accounts.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import type { SessionId } from '../../lib/ids.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { clientName } from './client-name.rules.ts'
import { noSessionCookies } from '../shell/cookies.ts'
import { Form } from '../shell/plain-form.tsx'
import { Moment } from '../shell/moment.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const EndForm = requestObject('EndSessionForm', {
  _csrf: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
})
const EndOthersForm = requestObject('EndOtherSessionsForm', { _csrf: Type.Optional(Type.String()) })

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

const Session = ({ ctx, session }: { readonly ctx: PersonCtx; readonly session: SessionRow }) => {
  const isThis = session.id === ctx.sessionId
  const name = clientName(session.client)
  return (
    <li>
      <div>
        <p>
          <strong>{name}</strong> {isThis ? <span class="tag">{texts.sessions.thisBrowser}</span> : null}
          {session.remember_until_unix > 0 ? <span class="tag">{texts.sessions.remembered}</span> : null}
        </p>
        <p class="quiet">
          {session.address} · {texts.signedInOn(<Moment unix={session.created_unix} />)} ·{' '}
          {texts.lastUsed(<Moment unix={session.used_unix} />)}
        </p>
      </div>
      <Form ctx={ctx} to="user/settings/sessions/end" hidden={{ id: session.id }}>
        <button type="submit" class="second" aria-label={texts.sessions.signOut(name, session.address)}>
          {shared.signOut}
        </button>
      </Form>
    </li>
  )
}

/** Shows the signed-in browsers. */
export const sessionsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/sessions',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx }) {
    const sessions = await sessionsOf(ctx, ctx.viewer.id)
    const content = (
      <SettingsPage ctx={ctx} current="sessions" title={texts.parts.sessions}>
        <section class="sheet" aria-labelledby="browsers">
          <h2 id="browsers">{texts.sessions.browsers}</h2>
          <p class="quiet">{texts.sessions.hint}</p>
          <ul class="list">
            {sessions.map((session) => (
              <Session ctx={ctx} session={session} />
            ))}
          </ul>
        </section>
        {sessions.length < 2 ? null : (
          <section class="sheet" aria-labelledby="others">
            <h2 id="others">{texts.sessions.others}</h2>
            <Form ctx={ctx} to="user/settings/sessions/end_others">
              <button type="submit" class="second">
                {texts.sessions.signOutOthers}
              </button>
            </Form>
          </section>
        )}
      </SettingsPage>
    )
    return secretPage(ctx.config, { title: texts.titleOf(texts.parts.sessions), content })
  },
})

/** Signs out one browser, possibly this one. */
export const endSessionSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/sessions/end',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EndForm,
  reply: { 303: 'empty' },
  async run({ ctx, body, call }) {
    const id = body.id as SessionId | undefined
    if (id === undefined || !(await endSession(ctx, ctx.viewer.id, id))) {
      throw new NotFound('the session does not exist', 'session_not_found')
    }
    if (id !== ctx.sessionId) return redirect(303, sitePath(ctx.config, 'user/settings/sessions'))
    call.cookies.push(...noSessionCookies(ctx.config))
    return redirect(303, sitePath(ctx.config, 'user/login'))
  },
})

/** Signs out every other browser. */
export const endOtherSessionsSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/sessions/end_others',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: EndOthersForm,
  reply: { 303: 'empty' },
  async run({ ctx }) {
    await endOtherSessions(ctx, ctx.viewer.id, ctx.sessionId)
    return redirect(303, sitePath(ctx.config, 'user/settings/sessions'))
  },
})
