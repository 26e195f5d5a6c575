import { renderToString } from 'preact-render-to-string'
import { bytesOf, operation } from '../../../http/operation.ts'
import { pathNumber } from '../../../http/schema.ts'
import type { SavedReplyId } from '../../../lib/ids.ts'
import { addReply, editReply, getReplies, getReply, removeReply } from '../../../users/replies/saved-reply.service.ts'
import { settingsTexts } from '../../languages/texts.ts'
import { inBrowser, inSession } from '../../shell/browser.requirements.ts'
import { act, nothingTyped, page } from '../../shell/page.tsx'
import { sendFragment } from '../../shell/send-page.tsx'
import { text } from '../../ui/fields.ts'
import { inSettings, settingsMeta, settingsPath } from '../settings-frame.tsx'
import { RepliesView, ReplyItems, ReplyView } from './replies.view.tsx'

const texts = settingsTexts.replies
const params = { id: pathNumber }
const fields = { title: text, content: text } as const
const problemFields = { reply_title_: 'title', reply_content_: 'content' }

/** Shows the saved replies of the account and the form of a new one. */
export const repliesPage = page({
  path: '/user/settings/replies',
  twin: null,
  cost: 'usual',
  requires: [inSession],
  frame: inSettings('replies'),
  load: async ({ ctx }) => ({ replies: await getReplies(ctx) }),
  meta: () => settingsMeta('replies'),
  view: RepliesView,
})

/** The form of a saved reply. */
export const replyPage = page({
  path: '/user/settings/replies/{id}',
  twin: null,
  cost: 'usual',
  params,
  requires: [inSession],
  frame: inSettings('replies'),
  load: async ({ ctx, params: { id } }) => ({ reply: await getReply(ctx, id as SavedReplyId) }),
  meta: ({ reply }) => ({ title: reply.title, isUnlisted: true }),
  view: ReplyView,
})

export const addReplySubmit = act({
  path: '/user/settings/replies',
  twin: null,
  cost: 'usual',
  requires: [],
  fields,
  again: repliesPage,
  problemFields,
  async run({ ctx, body: { title = '', content = '' } }) {
    await addReply(ctx, { title, content })
    return { to: settingsPath('replies'), notice: texts.added }
  },
})

export const editReplySubmit = act({
  path: '/user/settings/replies/{id}',
  twin: null,
  cost: 'usual',
  params,
  requires: [],
  fields,
  edits: true,
  again: replyPage,
  problemFields,
  async run({ ctx, params: { id }, body: { title = '', content = '' } }) {
    await editReply(ctx, id as SavedReplyId, { title, content })
    return { to: settingsPath('replies'), notice: texts.saved }
  },
})

export const deleteReplySubmit = act({
  path: '/user/settings/replies/{id}/delete',
  twin: null,
  cost: 'usual',
  params,
  requires: [],
  again: nothingTyped,
  async run({ ctx, params: { id } }) {
    await removeReply(ctx, id as SavedReplyId)
    return { to: settingsPath('replies'), notice: texts.deleted }
  },
})

/** The list in the menu of a text. */
export const replyItems = operation({
  base: 'site',
  scope: null,
  accepts: ['session'],
  method: 'GET',
  path: '/-/replies',
  cost: 'usual',
  requires: [inBrowser, inSession],
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx }) => sendFragment(ctx, renderToString(<ReplyItems replies={await getReplies(ctx)} />)),
})
