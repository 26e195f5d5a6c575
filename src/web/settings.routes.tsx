import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../http/operation.ts'
import { redirect } from '../http/reply.ts'
import { requestObject } from '../http/schema.ts'
import { NotFound } from '../lib/errors.ts'
import { grantsOf, revokeGrant } from '../oauth/grant.service.ts'
import { csrfName, inBrowser, inSession, ownForm } from './browser.requirements.ts'
import { htmlErrors, page, sitePath } from './page.tsx'

const RevokeForm = requestObject('RevokeGrantForm', {
  _csrf: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: htmlErrors } as const

/** What a person may look after: how to sign in, and whom they let in. */
export const settingsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx }) {
    const { config, csrf, viewer } = ctx
    const grants = await grantsOf(ctx, viewer.id)
    const content = (
      <main class="card">
        <h1>Settings of {viewer.user.name}</h1>
        <p>
          <a href={sitePath(config, 'user/settings/security')}>Second factor</a>
        </p>
        <h2>Applications that you let in</h2>
        {grants.length === 0 ? <p>None.</p> : null}
        {grants.map((grant) => (
          <form method="post" action={sitePath(config, 'user/settings/applications/revoke')}>
            <input type="hidden" name={csrfName} value={csrf} />
            <input type="hidden" name="id" value={grant.id} />
            <button type="submit">Shut out {grant.name}</button>
          </form>
        ))}
        <p>
          <a href={sitePath(config)}>Home</a>
        </p>
      </main>
    )
    return page(config, { title: 'Settings', content }, { headers: { 'cache-control': 'no-store' } })
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
