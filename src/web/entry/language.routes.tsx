import { Type } from 'typebox'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { empty } from '../../http/reply.ts'
import { requestObject } from '../../http/schema.ts'
import { Moved } from '../../lib/errors.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { languageChoices } from '../languages/languages.ts'
import { shellTexts as texts } from '../languages/texts.ts'
import { inBrowser, ownForm } from '../shell/browser.requirements.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { CardForm, sendCard } from '../shell/card-page.tsx'
import { cookie, languageCookie } from '../shell/cookies.ts'
import { Submit } from '../ui/button.tsx'
import { localTarget } from './sign-in-target.ts'

/** How long a browser remembers the language: a year. */
const keptSeconds = 31_536_000

const LanguageForm = requestObject('LanguageForm', {
  _csrf: Type.Optional(Type.String()),
  language: Type.Optional(Type.String({ maxLength: 255 })),
  redirect_to: Type.Optional(Type.String({ maxLength: 16_384 })),
})

const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Accounts keep their language themselves. */
function forGuests({ viewer }: BrowserCtx): void {
  if (viewer) throw new Moved(303, '/user/settings/appearance')
}

/** Shows the languages that guests can choose. */
export const languagePage = operation({
  ...pages,
  method: 'GET',
  path: '/user/language',
  cost: 'usual',
  requires: [inBrowser],
  query: { redirect_to: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query, call }) {
    forGuests(ctx)
    const content = (
      <CardForm to="/user/language" hidden={{ redirect_to: query.redirect_to }}>
        {languageChoices(ctx.config.i18n).map(({ value, label }) => (
          <Submit kind="plain" class="whole" name="language" value={value}>
            <span lang={value}>{label}</span>
          </Submit>
        ))}
      </CardForm>
    )
    return sendCard(ctx, call, { title: texts.language, content })
  },
})

/** Remembers the language of a guest in the browser. */
export const languageSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/language',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: LanguageForm,
  reply: { 303: 'empty' },
  async run({ ctx, body }) {
    forGuests(ctx)
    const { config } = ctx
    const chosen = languageChoices(config.i18n).find(({ value }) => value === body.language)
    return empty(303, {
      location: localTarget(config, body.redirect_to),
      ...(chosen ? { 'set-cookie': cookie(config, languageCookie(config), chosen.value, keptSeconds) } : {}),
    })
  },
})
