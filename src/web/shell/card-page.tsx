import type { ComponentChildren } from 'preact'
import type { Call } from '../../http/operation.ts'
import type { StreamReply } from '../../http/reply.ts'
import { Form, type FormProps } from '../ui/form.tsx'
import type { RefusedForm } from '../ui/page-context.ts'
import type { BrowserCtx } from './browser-context.ts'
import { sendPage } from './send-page.tsx'

export interface CardPage<Status extends number> {
  readonly title: string
  /** The default is the title. */
  readonly heading?: string
  readonly lang?: string
  readonly refused?: RefusedForm | undefined
  readonly scripts?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** The default is 200. */
  readonly status?: Status
  readonly content: ComponentChildren
}

/** Sends a calm page with one purpose, such as signing in. It answers 200 even when its form is refused, unless told otherwise. */
export const sendCard = <const Status extends number = 200>(
  ctx: BrowserCtx,
  call: Call,
  { title, heading = title, lang, refused, scripts, headers = {}, status, content }: CardPage<Status>,
): Promise<StreamReply<Status>> =>
  sendPage(ctx, call, {
    meta: { title, isUnlisted: true, scripts },
    refused,
    headers,
    status: status ?? 200,
    content: (
      <div class="container">
        <div class="card-page stack" {...(lang === undefined ? {} : { lang })}>
          <h1>{heading}</h1>
          {content}
        </div>
      </div>
    ),
  }) as Promise<StreamReply<Status>>

/** A form of such a page. The browser sends it, because it may lead to another site or answer with a page. */
export const CardForm = ({ children, ...rest }: FormProps & Readonly<Record<`data-${string}`, string | undefined>>) => (
  <Form class="stack" data-turbo="false" {...rest}>
    {children}
  </Form>
)
