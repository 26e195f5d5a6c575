import { Type } from 'typebox'
import { anyone } from '../../access/requirements.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { pathText, requestObject } from '../../http/schema.ts'
import { readUnsubscription, unsubscribe } from '../../mail/unsubscribe.service.ts'
import { page, sitePath } from '../shell/plain-page.tsx'
import { pageErrors } from '../../http/error-forms.ts'

const UnsubscribeForm = requestObject('UnsubscribeForm', {
  /** Unsubscribes from all mails, not only those of the conversation. */
  all: Type.Optional(Type.String()),
  /** Sent by mail programs (RFC 8058). */
  'List-Unsubscribe': Type.Optional(Type.String()),
})

/** Asks for confirmation, because mail programs open links. */
export const unsubscribePage = operation({
  method: 'GET',
  path: '/-/unsubscribe/{token}',
  params: { token: pathText },
  base: 'site',
  scope: null,
  errors: pageErrors,
  requires: [anyone],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, params }) {
    const { issueId, repoId, texts } = await readUnsubscription(ctx, params.token)
    const { title, fromAll, fromConversation, fromRepository } = texts.unsubscribe
    return page(ctx.config, {
      title,
      content: (
        <main class="card" lang={texts.language}>
          <h1>{title}</h1>
          <form method="post" action={sitePath(ctx.config, `-/unsubscribe/${params.token}`)}>
            {issueId === undefined && repoId === undefined ? undefined : (
              <p>
                <button type="submit">{repoId === undefined ? fromConversation : fromRepository}</button>
              </p>
            )}
            <p>
              <button type="submit" name="all" value="true">
                {fromAll}
              </button>
            </p>
          </form>
        </main>
      ),
    })
  },
})

/** Unsubscribes. The address is the credential, because mail programs send no cookies. */
export const unsubscribeSubmit = operation({
  method: 'POST',
  path: '/-/unsubscribe/{token}',
  params: { token: pathText },
  base: 'site',
  scope: null,
  errors: pageErrors,
  requires: [anyone, validBody],
  body: UnsubscribeForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, params, body }) {
    const asked = await readUnsubscription(ctx, params.token)
    const { language, unsubscribe: texts } = asked.texts
    const done = await unsubscribe(ctx, asked, body.all !== undefined)
    return page(ctx.config, {
      title: texts.title,
      content: (
        <main class="card" lang={language}>
          <h1>{texts.title}</h1>
          <p>{{ all: texts.doneAll, conversation: texts.doneConversation, repository: texts.doneRepository }[done]}</p>
        </main>
      ),
    })
  },
})
