import { Type } from 'typebox'
import { pageErrors } from '../../../http/error-forms.ts'
import { bytesOf, operation, validBody } from '../../../http/operation.ts'
import { redirect } from '../../../http/reply.ts'
import { requestObject } from '../../../http/schema.ts'
import { confirmAddress, readAddressLink } from '../../../users/email.service.ts'
import { inBrowser, ownForm } from '../../shell/browser.requirements.ts'
import { CardForm, sendCard } from '../../shell/card-page.tsx'
import { unkept } from '../../shell/page-headers.ts'
import { noticeCookie } from '../../shell/notice.ts'
import { Submit } from '../../ui/button.tsx'
import { siteHref } from '../../ui/paths.ts'
import { settingsPath } from '../settings-frame.tsx'
import { settingsTexts } from '../../languages/texts.ts'
import { textUpTo } from '../../ui/fields.ts'

const texts = settingsTexts.account
const text = textUpTo(4096)
const pages = { base: 'site', scope: null, accepts: ['session'], errors: pageErrors } as const

/** Target of the link that confirms an address. */
export const confirmAddressPage = operation({
  ...pages,
  method: 'GET',
  path: '/user/activate_email',
  cost: 'usual',
  requires: [inBrowser],
  query: { code: Type.Optional(Type.String()) },
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, query: { code = '' }, call }) {
    const { email, name } = await readAddressLink(ctx, code)
    return sendCard(ctx, call, {
      title: texts.confirmTitle,
      headers: unkept,
      content: (
        <>
          <p>{texts.confirmHint(email, name)}</p>
          <CardForm to="/user/activate_email" hidden={{ code }}>
            <Submit class="whole">{texts.confirm}</Submit>
          </CardForm>
        </>
      ),
    })
  },
})

export const confirmAddressSubmit = operation({
  ...pages,
  method: 'POST',
  path: '/user/activate_email',
  cost: 'usual',
  requires: [inBrowser, validBody, ownForm],
  body: requestObject('ConfirmAddressForm', { _csrf: text, code: text }),
  reply: { 303: 'empty' },
  async run({ ctx, body, call }) {
    const { config, viewer } = ctx
    await confirmAddress(ctx, body.code ?? '')
    if (!viewer) return redirect(303, siteHref(config, '/user/login?done=address'))
    call.cookies.push(noticeCookie(config, texts.done.added))
    return redirect(303, siteHref(config, settingsPath('account')))
  },
})
