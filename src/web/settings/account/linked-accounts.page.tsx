import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, validBody } from '../../../http/operation.ts'
import { requestObject } from '../../../http/schema.ts'
import { Forbidden } from '../../../lib/errors.ts'
import type { ExternalAccountId } from '../../../lib/ids.ts'
import { getProvider, linksOf, offeredProviders, unlink } from '../../../sources/openid/openid.service.ts'
import { beginAt, begunSeconds, ProviderError } from '../../../sources/openid/provider.service.ts'
import { attempt, refusedForm } from '../../shell/attempt.ts'
import { inBrowser, inSession, ownForm } from '../../shell/browser.requirements.ts'
import { sendCard } from '../../shell/card-page.tsx'
import { unkept } from '../../shell/page-headers.ts'
import { awayCookie, cookieFromElsewhere } from '../../shell/cookies.ts'
import { act, page } from '../../shell/page.tsx'
import { confirmationFields, recentSignInFor } from '../../shell/recent-sign-in.tsx'
import { confirmPassword } from '../confirm-password.tsx'
import { LinkedAccountsView, ProviderLink } from './linked-accounts.view.tsx'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { integer, text, textUpTo } from '../../ui/fields.ts'

const texts = settingsTexts.links

/** Shows the linked accounts. */
export const linkedAccountsPage = page({
  path: '/user/settings/links',
  twin: null,
  cost: 'usual',
  requires: [inSession],
  isSecret: true,
  frame: inSettings('links'),
  query: { done: text },
  async load({ ctx, query }) {
    const [links, providers] = await Promise.all([linksOf(ctx, ctx.viewer.user), offeredProviders(ctx)])
    return { links, providers, isLinked: query.done === 'linked' }
  },
  meta: () => settingsMeta('links'),
  view: LinkedAccountsView,
})

/** Shows a link to the provider; the content policy forbids a form that redirects to another site. */
export const beginLinkSubmit = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  method: 'POST',
  path: '/user/settings/links',
  cost: 'usual',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: requestObject('BeginLinkForm', {
    _csrf: text,
    source: textUpTo(100),
    password: textUpTo(255),
    ...confirmationFields,
  }),
  reply: { 200: bytesOf('text/html'), 403: bytesOf('text/html'), 422: bytesOf('text/html') },
  async run({ ctx: known, body, call }) {
    const found = await recentSignInFor('password', known, call, body)
    if ('confirmation' in found) return found.confirmation
    const { ctx } = found
    const { viewer, config } = ctx
    const name = body.source ?? ''
    const { problem } = await attempt(confirmPassword(ctx, call, body.password), { password_unconfirmed: 'password' })
    const refused = refusedForm('/user/settings/links', problem, { source: name })
    if (refused) return linkedAccountsPage.showAgain({ ctx, params: {}, call, refused, status: 422 })
    const source = await getProvider(ctx, name)
    const begun = await beginAt(ctx, source, { redirectTo: '', remember: false, linkTo: viewer.id }).catch(
      (error: unknown) => {
        if (!(error instanceof ProviderError)) throw error
        ctx.log('warn', 'linking an account at a provider failed', { source: source.name, reason: error.message })
        throw new Forbidden(`${source.name} does not answer; try again`, 'provider_failed')
      },
    )
    call.cookies.push(cookieFromElsewhere(config, awayCookie(config), begun.kept, begunSeconds))
    return sendCard(ctx, call, {
      title: texts.link(source.name),
      headers: unkept,
      content: <ProviderLink name={source.name} address={begun.url} />,
    })
  },
})

/** Removes a link. */
export const unlinkSubmit = act({
  path: '/user/settings/links/remove',
  twin: null,
  cost: 'usual',
  requires: [],
  fields: { id: integer },
  again: linkedAccountsPage,
  async run({ ctx, body }) {
    await unlink(ctx, ctx.viewer.user, (body.id ?? 0) as ExternalAccountId)
    return { to: settingsPath('links'), notice: texts.removed }
  },
})
