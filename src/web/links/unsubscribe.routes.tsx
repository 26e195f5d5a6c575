import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { requestObject } from '../../http/schema.ts'
import { readUnsubscription, unsubscribe } from '../../mail/unsubscribe.service.ts'
import { inBrowser } from '../shell/browser.requirements.ts'
import { sendCard } from '../shell/card-page.tsx'
import { Submit } from '../ui/button.tsx'
import { siteHref } from '../ui/paths.ts'
import { pageErrors } from '../../http/error-forms.ts'
import { text } from '../ui/fields.ts'

const UnsubscribeForm = requestObject('UnsubscribeForm', {
  /** Unsubscribes from all mails, not only those of the conversation. */
  all: text,
  /** Sent by mail programs (RFC 8058). */
  'List-Unsubscribe': text,
})

/** Asks for confirmation, because mail programs open links. */
export const unsubscribePage = operation({
  method: 'GET',
  path: '/-/unsubscribe/{token}',
  cost: 'usual',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser],
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, params, call }) {
    const { issueId, repoId, texts } = await readUnsubscription(ctx, params.token)
    const { title, fromAll, fromConversation, fromRepository } = texts.unsubscribe
    return sendCard(ctx, call, {
      title,
      lang: texts.language,
      content: (
        <form
          method="post"
          class="stack"
          data-turbo="false"
          action={siteHref(ctx.config, `/-/unsubscribe/${params.token}`)}
        >
          {issueId === undefined && repoId === undefined ? null : (
            <Submit class="whole">{repoId === undefined ? fromConversation : fromRepository}</Submit>
          )}
          <Submit name="all" value="true" kind="plain" class="whole">
            {fromAll}
          </Submit>
        </form>
      ),
    })
  },
})

/** Unsubscribes. The address is the credential, because mail programs send no cookies. */
export const unsubscribeSubmit = operation({
  method: 'POST',
  path: '/-/unsubscribe/{token}',
  cost: 'usual',
  base: 'site',
  scope: null,
  accepts: ['session'],
  errors: pageErrors,
  requires: [inBrowser, validBody],
  body: UnsubscribeForm,
  reply: { 200: bytesOf('text/html') },
  async run({ ctx, params, body, call }) {
    const unsubscription = await readUnsubscription(ctx, params.token)
    const { language, unsubscribe: texts } = unsubscription.texts
    const done = await unsubscribe(ctx, unsubscription, body.all !== undefined)
    return sendCard(ctx, call, {
      title: texts.title,
      lang: language,
      content: (
        <p role="status">
          {{ all: texts.doneAll, conversation: texts.doneConversation, repository: texts.doneRepository }[done]}
        </p>
      ),
    })
  },
})
