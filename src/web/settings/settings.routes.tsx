import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { grantsOf, revokeGrant } from '../../oauth/grant.service.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { Form } from '../shell/form.tsx'
import { htmlErrors, secretPage, sitePath } from '../shell/page.tsx'
import { SettingsPage } from './settings-page.tsx'

const RevokeForm = requestObject('RevokeGrantForm', {
  _csrf: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: htmlErrors } as const

/** What a person may look after: who they are here, and whom they let in. */
export const settingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx }) {
    const { config, viewer } = ctx
    const grants = await grantsOf(ctx, viewer.id)
    const content = (
      <SettingsPage ctx={ctx} current="overview" title={`Settings of ${viewer.user.name}`}>
        <section class="sheet" aria-labelledby="applications">
          <h2 id="applications">Authorized applications</h2>
          {grants.length === 0 ? (
            <p class="quiet">None. Applications that you allow to use your account are listed here.</p>
          ) : (
            <ul class="list">
              {grants.map((grant) => (
                <li>
                  <p>{grant.name}</p>
                  <Form ctx={ctx} to="user/settings/applications/revoke" hidden={{ id: grant.id }}>
                    <button type="submit" class="second">
                      Revoke access of {grant.name}
                    </button>
                  </Form>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="sheet" aria-labelledby="leave">
          <h2 id="leave">This browser</h2>
          <Form ctx={ctx} to="user/logout">
            <button type="submit" class="second">
              Sign out
            </button>
          </Form>
        </section>
      </SettingsPage>
    )
    return secretPage(config, { title: 'Settings', content })
  },
})

export const revokeGrantSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/applications/revoke',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: RevokeForm,
  reply: { 303: 'empty' },
  async run({ ctx, body }) {
    if (body.id === undefined) throw new NotFound('there is no such grant', 'oauth_grant_not_found')
    await revokeGrant(ctx, ctx.viewer.id, body.id)
    return redirect(303, sitePath(ctx.config, 'user/settings'))
  },
})
