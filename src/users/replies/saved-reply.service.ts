import type { SignedInCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { SavedReplyRow } from '../../db/tables/accounts.ts'
import { Invalid, NotFound } from '../../lib/errors.ts'
import type { SavedReplyId } from '../../lib/ids.ts'
import { nowUnix } from '../../lib/time.ts'
import { replyLimits } from './saved-reply.rules.ts'
import {
  countSavedReplies,
  deleteSavedReply,
  findSavedReply,
  insertSavedReply,
  listSavedReplies,
  updateSavedReply,
  type ReplyText,
} from './saved-reply.store.ts'

/** Most replies of a person: the menu of a text shows all of them. */
const maxReplies = 100

const noReply = () => new NotFound('the saved reply does not exist', 'reply_not_found')

/** Returns the saved replies of the viewer, by title. */
export const getReplies = ({ db, viewer }: SignedInCtx): Promise<readonly SavedReplyRow[]> =>
  listSavedReplies(db, viewer.id, maxReplies)

/** @throws NotFound for an id that is none of the viewer's */
export async function getReply({ db, viewer }: SignedInCtx, id: SavedReplyId): Promise<SavedReplyRow> {
  const reply = await findSavedReply(db, viewer.id, id)
  if (!reply) throw noReply()
  return reply
}

/** Returns the text as it is stored. @throws Invalid for an empty or too long one */
function keptText({ title, content }: ReplyText): ReplyText {
  const kept = { title: title.trim(), content: content.replaceAll('\r\n', '\n').trim() }
  for (const field of ['title', 'content'] as const) {
    if (kept[field] === '') throw new Invalid(`[${field}]: is required`, `reply_${field}_missing`, { field })
    if (kept[field].length > replyLimits[field]) {
      throw new Invalid(`[${field}]: has at most ${replyLimits[field]} characters`, `reply_${field}_long`, { field })
    }
  }
  return kept
}

/** Adds a reply to those of the viewer. @throws Invalid when they have as many as a menu shows */
export async function addReply({ db, clock, viewer }: SignedInCtx, input: ReplyText): Promise<void> {
  const reply = keptText(input)
  const now = nowUnix(clock)
  await transaction(db, async (tx) => {
    if ((await countSavedReplies(tx, viewer.id)) >= maxReplies) {
      throw new Invalid(`there are ${maxReplies} saved replies already`, 'replies_too_many')
    }
    await insertSavedReply(tx, { ...reply, user_id: viewer.id, created_unix: now, updated_unix: now })
  })
}

/** @throws NotFound for an id that is none of the viewer's */
export async function editReply({ db, clock, viewer }: SignedInCtx, id: SavedReplyId, input: ReplyText): Promise<void> {
  const change = { ...keptText(input), updated_unix: nowUnix(clock) }
  if (!(await transaction(db, (tx) => updateSavedReply(tx, viewer.id, id, change)))) throw noReply()
}

/** Deletes a reply of the viewer, if there is one. */
export async function removeReply({ db, viewer }: SignedInCtx, id: SavedReplyId): Promise<void> {
  await transaction(db, (tx) => deleteSavedReply(tx, viewer.id, id))
}
