import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { redirect } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Forbidden } from '../../lib/errors.ts'
import type { ExternalAccountId } from '../../lib/ids.ts'
import { getProvider, linksOf, offeredProviders, unlink } from '../../sources/openid/openid.service.ts'
import { beginAt, begunSeconds, ProviderError } from '../../sources/openid/provider.service.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { PasswordField, passwordProblem } from './confirm-password.tsx'
import { awayCookie, cookieFromElsewhere } from '../shell/cookies.ts'
import { attempt, Form, type Problem } from '../shell/plain-form.tsx'
import { Moment } from '../shell/moment.tsx'
import { secretPage, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'
import { SettingsPage, type PersonCtx } from './settings-page.tsx'
import { texts } from './texts.tsx'

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

const LinkForm = requestObject('BeginLinkForm', {
  _csrf: Type.Optional(Type.String()),
  source: Type.Optional(Type.String({ maxLength: 100 })),
  password: Type.Optional(Type.String({ maxLength: 255 })),
})
const UnlinkForm = requestObject('UnlinkForm', {
  _csrf: Type.Optional(Type.String()),
  id: Type.Optional(Type.Integer()),
})

/** The refused form of the page: the name of a source or the id of a link. */
interface Wrong {
  readonly form: string
  readonly problem: Problem
}

async function linksPage(ctx: PersonCtx, told: { readonly done?: string | undefined; readonly wrong?: Wrong } = {}) {
  const [links, providers] = await Promise.all([linksOf(ctx, ctx.viewer.user), offeredProviders(ctx)])
  const { done, wrong } = told
  const problemAt = (form: string) => (wrong?.form === form ? wrong.problem : undefined)
  const content = (
    <SettingsPage ctx={ctx} current="links" title={texts.parts.links}>
      {done === 'linked' ? (
        <p class="done" role="status">
          {texts.links.done}
        </p>
      ) : null}
      <section class="sheet" aria-labelledby="links">
        <h2 id="links">{texts.links.linked}</h2>
        {links.length === 0 ? (
          <p>{texts.links.none}</p>
        ) : (
          <ul class="list">
            {links.map((link) => (
              <li>
                <div>
                  <p>
                    <strong>{link.name}</strong> <span class="tag">{link.source}</span>
                  </p>
                  <p class="quiet">
                    {texts.linkedOn(<Moment unix={link.created_unix} />)} ·{' '}
                    {texts.lastUsed(<Moment unix={link.used_unix} />)}
                  </p>
                </div>
                <Form
                  ctx={ctx}
                  to="user/settings/links/remove"
                  hidden={{ id: link.id }}
                  problem={problemAt(String(link.id))}
                >
                  <button type="submit" class="second" aria-label={texts.links.removeLink(link.name, link.source)}>
                    {texts.remove}
                  </button>
                </Form>
              </li>
            ))}
          </ul>
        )}
      </section>
      {providers.map((name) => (
        <section class="sheet" aria-labelledby={`link_${name}`}>
          <h2 id={`link_${name}`}>{name}</h2>
          <Form ctx={ctx} to="user/settings/links" hidden={{ source: name }} problem={problemAt(name)}>
            <p>{texts.links.hint(name)}</p>
            <PasswordField id={`password_${name}`} user={ctx.viewer.user} />
            <button type="submit">{texts.links.link(name)}</button>
          </Form>
        </section>
      ))}
    </SettingsPage>
  )
  return secretPage(ctx.config, { title: texts.titleOf(texts.parts.links), content })
}

/** Shows the linked accounts. */
export const linkedAccountsPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/settings/links',
  requires: [inBrowser, inSession],
  query: { done: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, query }) => linksPage(ctx, { done: query.done }),
})

/** Shows a link to the provider; the content policy forbids a form that redirects to another site. */
export const beginLinkSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/links',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: LinkForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, body, call }) {
    const { viewer, config } = ctx
    const name = body.source ?? ''
    const problem = await passwordProblem(ctx, viewer.user, body.password, call.ip)
    if (problem) return linksPage(ctx, { wrong: { form: name, problem } })
    const source = await getProvider(ctx, name)
    const begun = await beginAt(ctx, source, { redirectTo: '', remember: false, linkTo: viewer.id }).catch(
      (error: unknown) => {
        if (!(error instanceof ProviderError)) throw error
        ctx.log('warn', 'linking an account at a provider failed', { source: source.name, reason: error.message })
        throw new Forbidden(`${source.name} does not answer; try again`, 'provider_failed')
      },
    )
    call.cookies.push(cookieFromElsewhere(config, awayCookie(config), begun.kept, begunSeconds))
    const content = (
      <SettingsPage ctx={ctx} current="links" title={texts.links.link(source.name)}>
        <section class="sheet">
          <p>{texts.links.signInThere}</p>
          <p>
            <a class="button" href={begun.url} rel="noreferrer">
              {texts.links.goTo(source.name)}
            </a>
          </p>
        </section>
      </SettingsPage>
    )
    return secretPage(config, { title: texts.links.link(source.name), content })
  },
})

/** Removes a link. */
export const unlinkSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/settings/links/remove',
  requires: [inBrowser, inSession, validBody, ownForm],
  body: UnlinkForm,
  reply: { 200: bytesOf('text/html'), 303: 'empty' },
  async run({ ctx, body }) {
    const id = body.id ?? 0
    const { problem } = await attempt(unlink(ctx, ctx.viewer.user, id as ExternalAccountId))
    return problem
      ? linksPage(ctx, { wrong: { form: String(id), problem } })
      : redirect(303, sitePath(ctx.config, 'user/settings/links'))
  },
})
