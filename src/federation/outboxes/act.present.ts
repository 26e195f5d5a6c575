import type { Ctx } from '../../access/context.ts'
import { presentActs } from '../../activity/feed.present.ts'
import { describeAct } from '../../activity/syndication.present.ts'
import type { ActRow } from '../../db/tables/activity.ts'
import type { UserId } from '../../lib/ids.ts'
import { escapeHtml } from '../../markup/html.ts'
import type { PublicAct } from '../activity.rules.ts'

/** Returns acts as guests see them, with escaped texts. */
export async function presentPublicActs(
  ctx: Pick<Ctx, 'config' | 'db'>,
  rows: readonly ActRow[],
): Promise<PublicAct[]> {
  const acts = await presentActs({ config: ctx.config, db: ctx.db, viewer: undefined }, rows)
  return acts.map((act) => {
    const { title, link, text } = describeAct(act)
    const line = `<p><a href="${escapeHtml(link)}">${escapeHtml(title)}</a></p>`
    return {
      id: act.id,
      actorId: act.act_user_id as UserId,
      title,
      content: text === '' ? line : `${line}<pre>${escapeHtml(text)}</pre>`,
      page: link,
      published: act.created,
    }
  })
}
