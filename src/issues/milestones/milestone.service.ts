import type { RepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { MilestoneRow } from '../../db/tables/issues.ts'
import { NotFound } from '../../lib/errors.ts'
import type { MilestoneId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { optionalTime } from '../due-date.rules.ts'
import {
  countMilestones,
  deleteMilestoneRow,
  findMilestone,
  findMilestoneByTitle,
  insertMilestone,
  listMilestones,
  updateMilestone,
} from './milestone.store.ts'

const noMilestone = () => new NotFound('the milestone does not exist', 'milestone_not_found')

/** The fields of a request about a milestone, under the API's names. */
export interface MilestoneInput {
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly dueOn: string | undefined
  readonly state?: string | undefined
}

/** Returns one page of the milestones of a repository; an unknown state means all. */
export async function getMilestones(
  ctx: RepoCtx,
  query: { readonly state?: string | undefined; readonly name?: string | undefined },
  page: Page,
): Promise<{ readonly rows: MilestoneRow[]; readonly total: number }> {
  const isClosed = query.state === 'closed' ? true : query.state === 'open' ? false : undefined
  const filter = { isClosed, name: query.name }
  const [rows, total] = await rowsAndTotal(
    page,
    listMilestones(ctx.db, ctx.repo.id, filter, page),
    countMilestones(ctx.db, ctx.repo.id, filter),
  )
  return { rows, total }
}

/** Returns a milestone by id, else by title. */
export async function getMilestone(ctx: RepoCtx, idOrTitle: string): Promise<MilestoneRow> {
  const byId = /^\d{1,15}$/.test(idOrTitle)
    ? await findMilestone(ctx.db, ctx.repo.id, Number(idOrTitle) as MilestoneId)
    : undefined
  const milestone = byId ?? (await findMilestoneByTitle(ctx.db, ctx.repo.id, idOrTitle))
  if (!milestone) throw noMilestone()
  return milestone
}

/** Creates a milestone. The title may be empty or in use; any state except `closed` is open (contract, issues: milestones). */
export function createMilestone(ctx: RepoCtx, input: MilestoneInput): Promise<MilestoneRow> {
  const unix = nowUnix(ctx.clock)
  const isClosed = input.state === 'closed'
  const dueUnix = optionalTime(input.dueOn, 'due_on')
  return transaction(ctx.db, (tx) =>
    insertMilestone(tx, {
      repo_id: ctx.repo.id,
      title: (input.title ?? '').trim(),
      content: input.description ?? '',
      is_closed: isClosed,
      closed_unix: isClosed ? unix : 0,
      due_unix: dueUnix,
      created_unix: unix,
      updated_unix: unix,
    }),
  )
}

/** Changes a milestone. It ignores an empty title and a zero due date; an empty description removes the description. */
export async function editMilestone(
  ctx: RepoCtx,
  milestone: MilestoneRow,
  input: MilestoneInput,
): Promise<MilestoneRow> {
  const unix = nowUnix(ctx.clock)
  const title = input.title?.trim() ?? ''
  const dueUnix = optionalTime(input.dueOn, 'due_on')
  const isClosed = input.state === undefined ? milestone.is_closed : input.state === 'closed'
  const edited = await transaction(ctx.db, (tx) =>
    updateMilestone(tx, milestone.id, {
      ...(title === '' ? {} : { title }),
      ...(input.description === undefined ? {} : { content: input.description }),
      ...(dueUnix === 0 ? {} : { due_unix: dueUnix }),
      ...(isClosed === milestone.is_closed ? {} : { is_closed: isClosed, closed_unix: isClosed ? unix : 0 }),
      updated_unix: unix,
    }),
  )
  if (!edited) throw noMilestone()
  return edited
}

/** Deletes a milestone. Its issues get no timeline entry. */
export async function deleteMilestone(ctx: RepoCtx, milestone: MilestoneRow): Promise<void> {
  await transaction(ctx.db, (tx) => deleteMilestoneRow(tx, milestone.id))
}
