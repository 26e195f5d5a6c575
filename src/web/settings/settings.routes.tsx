import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { NotFound } from '../../lib/errors.ts'
import { listGrants, revokeGrant } from '../../oauth/grant.service.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { Form } from '../shell/plain-form.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { SettingsPage } from './settings-page.tsx'
import { texts as shared } from '../shell/plain-texts.tsx'
import { texts } from './texts.tsx'

const RevokeForm = requestObject('RevokeGrantForm', {
  _csrf: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Shows the account and its authorized applications. */
export const settingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx }) {
    const { config, viewer } = ctx
    const grants = await listGrants(ctx, viewer.id)
    const content = (
      <SettingsPage ctx={ctx} current="overview" title={texts.overview.heading(viewer.user.name)}>
        <section class="sheet" aria-labelledby="applications">
          <h2 id="applications">{texts.overview.applications}</h2>
          {grants.length === 0 ? (
            <p class="quiet">{texts.overview.noApplications}</p>
          ) : (
            <ul class="list">
              {grants.map((grant) => (
                <li>
                  <p>{grant.name}</p>
                  <Form ctx={ctx} to="user/settings/applications/revoke" hidden={{ id: grant.id }}>
                    <button type="submit" class="second">
                      {texts.overview.revoke(grant.name)}
                    </button>
                  </Form>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="sheet" aria-labelledby="leave">
          <h2 id="leave">{texts.overview.thisBrowser}</h2>
          <Form ctx={ctx} to="user/logout">
            <button type="submit" class="second">
              {shared.signOut}
            </button>
          </Form>
        </section>
      </SettingsPage>
    )
    return secretPage(config, { title: shared.settings, content })
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
    if (body.id === undefined) throw new NotFound('the grant does not exist', 'oauth_grant_not_found')
    await revokeGrant(ctx, ctx.viewer.id, body.id)
    return redirect(303, sitePath(ctx.config, 'user/settings'))
  },
})
