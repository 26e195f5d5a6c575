import { hash } from 'node:crypto'
import type { ComponentChild, VNode } from 'preact'
import type { SignedInCtx } from '../../access/context.ts'
import type { ErrorForm } from '../../http/error-forms.ts'
import type { Call } from '../../http/operation.ts'
import { bytes, type StreamReply } from '../../http/reply.ts'
import type { Config } from '../../config/load-config.ts'
import { maxAnswerBytes, WorkBudget, WorkTooCostly } from '../../lib/work-budget.ts'
import { nowUnix, type Clock } from '../../lib/time.ts'
import { countUnread } from '../../notifications/thread.service.ts'
import { offersSignUp } from '../../users/entry/registration.rules.ts'
import type { StoredFields } from '../ui/edited-form.ts'
import type { LinkedMessages } from '../../site/render.service.ts'
import type { PageFacts, RefusedForm } from '../ui/page-context.ts'
import { inLanguage, readerLanguage } from '../languages/reader.ts'
import { assetPath } from './assets.ts'
import type { BrowserCtx } from './browser-context.ts'
import { renderDocument, renderView, type PageMeta } from './document.tsx'
import { ErrorContent, errorHeading } from './error-page.tsx'
import { contextOf } from './browser-context.ts'
import { languageFor } from './language-for.ts'
import { Layout } from './layout.tsx'
import { takeNotice, takeUndo } from './notice.ts'
import { framedAlike, pageHeaders } from './page-headers.ts'

/** A page to send. */
export interface PageContent {
  readonly meta: PageMeta
  readonly content: ComponentChild
  readonly isWide?: boolean | undefined
  readonly refused?: RefusedForm | undefined
  readonly status?: number
  readonly messages?: LinkedMessages | undefined
  readonly headers?: Readonly<Record<string, string>>
}

const htmlType = 'text/html;charset=utf-8'

const factsOf = (
  ctx: Pick<BrowserCtx, 'csrf' | 'viewer' | 'budget'> &
    Pick<PageFacts, 'caches'> & { readonly config: Config; readonly clock: Clock },
  url: string,
  refused?: RefusedForm,
): PageFacts => ({
  config: ctx.config,
  csrf: ctx.csrf,
  viewer: ctx.viewer,
  url,
  nowUnix: nowUnix(ctx.clock),
  asset: (name) => assetPath(ctx.config, name),
  refused,
  budget: ctx.budget,
  caches: ctx.caches,
  factReads: { count: 0 },
})

/** Returns a page with its navigation as a reply. */
export async function sendPage(ctx: BrowserCtx, call: Call, page: PageContent): Promise<StreamReply<number>> {
  const { viewer } = ctx
  const unreadCount = viewer ? await countUnread({ ...ctx, viewer } satisfies SignedInCtx) : 0
  const { status = 200, refused, meta, content, isWide, messages } = page
  let isProblemShown = refused?.problem === undefined
  const whenShown = (): void => {
    isProblemShown = true
  }
  const filled = new Set<string>()
  const whenFilled = (name: string): void => {
    filled.add(name)
  }
  const notice = takeNotice(ctx.config, call)
  const undo = takeUndo(ctx, call)
  // The work of services counts once, and that of the views in each rendering.
  const budgets = [ctx.budget, ctx.budget.copy()] as const
  const render = (budget: WorkBudget, problem?: string, texts?: readonly string[]): string =>
    renderDocument(
      { ...factsOf({ ...ctx, budget }, call.url, refused && { ...refused, whenShown, whenFilled }), messages },
      meta,
      <Layout {...{ unreadCount, notice, undo, problem, texts, isWide }} offersSignUp={offersSignUp(ctx.config)}>
        {content}
      </Layout>,
    )
  // Rendering takes the main thread, and nobody may wait for the page any more.
  ctx.budget.signal?.throwIfAborted()
  const first = render(budgets[0])
  // The page may have lost the form meanwhile, or the form a field.
  const texts = typedTexts(refused?.values ?? {}, filled)
  const problem = isProblemShown ? undefined : refused?.problem?.message
  const text = isProblemShown && texts.length === 0 ? first : render(budgets[1], problem, texts)
  const html = Buffer.from(text)
  // Parts with texts of people take from the budget; this bounds what their number and names add.
  if (html.length > maxAnswerBytes) throw new WorkTooCostly('outputBytes')
  return bytes(htmlType, html, {
    status,
    headers: framedAlike({
      ...pageHeaders(ctx.config, readerLanguage()),
      ...(status === 200 ? { etag: `"${hash('sha1', html, 'base64url')}"` } : {}),
      ...page.headers,
    }),
  })
}

/** Names of fields whose values no page shows. */
const secretName = /passw|secret|token|passphrase|^data$|^value$/i

/**
 * Returns the texts of a form that somebody typed: those of several words or lines. Single words may be choices and ids of
 * the page.
 * @param filled names of the fields that the page shows with them
 */
const typedTexts = (values: Readonly<Record<string, unknown>>, filled: ReadonlySet<string>): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    filled.has(name) || secretName.test(name)
      ? []
      : [value].flat().filter((each): each is string => typeof each === 'string' && /\S\s+\S/.test(each)),
  )

/** Returns the stored fields of the form of a page that edits by an action; undefined when the page lacks it. */
export function readStored(
  ctx: BrowserCtx,
  call: Call,
  content: ComponentChild,
  action: string,
): StoredFields | undefined {
  let found: StoredFields | undefined
  renderDocument(
    {
      // The page may show the form only when it is asked for, or refused.
      ...factsOf({ ...ctx, budget: ctx.budget.copy() }, call.url, { action, values: {} }),
      whenEdited: (each, stored) => {
        if (each === action) found ??= stored
      },
    },
    { title: '' },
    content,
  )
  return found
}

/** Returns a part of a page, which a script puts into it, with the policy of pages: its address can also be opened. */
export const sendFragment = ({ config }: { readonly config: Config }, html: string): StreamReply<200> =>
  bytes(htmlType, html, { headers: pageHeaders(config, readerLanguage()) })

/** What scripts ask for when they send a form, and put into the page. */
export const partsType = 'text/vnd.turbo-stream.html'

/** Returns parts of a page, each by the id of the element that it takes the place of. */
export function sendParts(ctx: BrowserCtx, call: Call, parts: Readonly<Record<string, VNode>>): StreamReply<200> {
  const list = Object.entries(parts).map(([id, part]) => (
    <turbo-stream action="replace" target={id}>
      <template>{part}</template>
    </turbo-stream>
  ))
  return bytes(`${partsType};charset=utf-8`, renderView(factsOf(ctx, call.url), <>{list}</>), {
    headers: pageHeaders(ctx.config, readerLanguage()),
  })
}

/** Path of the operation that answers browsers where no operation is. */
export const unknownPath = '/-/unknown'

/** Returns refusals as pages, with the navigation of the person who asked, if known. */
export const errorPages = (config: Config, clock: Clock): ErrorForm => ({
  render(refusal, call) {
    const ctx = contextOf(call)
    const facts = factsOf(
      { config, clock, csrf: ctx?.csrf ?? '', viewer: ctx?.viewer, budget: ctx?.budget ?? new WorkBudget() },
      call.url,
    )
    const language = languageFor(call, config, ctx?.viewer?.user.language)
    const body = inLanguage(language, () =>
      renderDocument(
        facts,
        { title: errorHeading(refusal), isUnlisted: true },
        <Layout unreadCount={0} offersSignUp={offersSignUp(config)}>
          <ErrorContent refusal={refusal} call={call} />
        </Layout>,
      ),
    )
    return { contentType: htmlType, body, headers: pageHeaders(config, language) }
  },
})
