import type { Ctx, RepoCtx, SignedInCtx } from '../access/context.ts'
import { isAccountShown, mode } from '../access/rights.ts'
import { transaction, type Tx } from '../db/database.ts'
import type { AccessMode, UserRow } from '../db/tables/accounts.ts'
import type { SavedViewRow } from '../db/tables/boards.ts'
import type { EventName } from '../events/catalogue.ts'
import { publish } from '../events/hub.ts'
import { Invalid, NotFound } from '../lib/errors.ts'
import type { SavedViewId } from '../lib/ids.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import { nowUnix } from '../lib/time.ts'
import { listTeamsWithUnit } from '../orgs/team.store.ts'
import { disabledUnits } from '../repos/unit-config.ts'
import { settingsOf, viewsAtMost, type SavedViewInput } from './saved-view.rules.ts'
import {
  countViews,
  deleteViewRow,
  findView,
  findViewForUpdate,
  insertView,
  listViews,
  lockOwner,
  updateView,
  type ViewOwner,
} from './saved-view.store.ts'

/** Whose a view is, which decides where its issues are from. */
export type ViewHome =
  | { readonly of: 'repository'; readonly at: RepoCtx }
  | { readonly of: 'organization'; readonly org: UserRow }
  /** A view of the viewer, over everything that they may read. */
  | { readonly of: 'person'; readonly person: UserRow }

export const ownerOfViews = (home: ViewHome): ViewOwner =>
  home.of === 'repository'
    ? { repoId: home.at.repo.id }
    : { ownerId: home.of === 'organization' ? home.org.id : home.person.id }

export const noView = () => new NotFound('the view does not exist', 'view_not_found')

/** Publishes an event about a view. */
export const publishOfView = (
  tx: Tx,
  name: EventName & `view.${string}`,
  { viewer }: SignedInCtx,
  home: ViewHome,
  viewId: SavedViewId,
): Promise<unknown> =>
  publish(tx, name, {
    viewId,
    doerId: viewer.id,
    ...(home.of === 'repository' ? { repoId: home.at.repo.id } : {}),
    ...(home.of === 'organization' ? { orgId: home.org.id } : {}),
  })

/** Whether the instance has the unit of projects. */
export const hasProjects = (config: Ctx['config']): boolean => !disabledUnits(config).includes('repo.projects')

/**
 * Returns the viewer's access to the views of an organization. The highest access of their teams to the unit of projects
 * decides; everybody reads those of an organization that is not private to its members. A credential that is limited to a
 * repository has the access of a guest.
 */
export async function viewsModeIn({ db, viewer, config }: Ctx, org: UserRow): Promise<AccessMode> {
  if (!hasProjects(config)) return mode.none
  const account = viewer?.limit.repo ? undefined : viewer
  if (account?.isAdmin) return mode.owner
  const open = isAccountShown(account, org, false) ? mode.read : mode.none
  if (!account) return open
  const teams = await listTeamsWithUnit(db, org.id, account.id, 'projects')
  return teams.reduce<AccessMode>((most, { access_mode: rank, unit_mode: given }) => {
    const own = rank >= mode.admin ? rank : (given ?? mode.none)
    return own > most ? own : most
  }, open)
}

/** Returns one page of views, the oldest first, and their number. */
export async function getViews(
  ctx: Ctx,
  home: ViewHome,
  page: Page,
): Promise<{ readonly rows: readonly SavedViewRow[]; readonly total: number }> {
  const owner = ownerOfViews(home)
  const [rows, total] = await rowsAndTotal(page, listViews(ctx.db, owner, page), countViews(ctx.db, owner))
  return { rows, total }
}

/** Returns all views of an owner. */
export const getAllViews = (ctx: Ctx, home: ViewHome): Promise<readonly SavedViewRow[]> =>
  listViews(ctx.db, ownerOfViews(home), { number: 1, limit: viewsAtMost, offset: 0 })

/** Returns a view by id. */
export async function getView(ctx: Ctx, home: ViewHome, id: number): Promise<SavedViewRow> {
  const view = await findView(ctx.db, ownerOfViews(home), id as SavedViewId)
  if (!view) throw noView()
  return view
}

/**
 * Creates a view.
 * @throws Invalid for settings that no view has, and when the owner has as many views as are allowed
 */
export function createView(ctx: SignedInCtx, home: ViewHome, input: SavedViewInput): Promise<SavedViewRow> {
  const settings = settingsOf(input)
  const owner = ownerOfViews(home)
  return transaction(ctx.db, async (tx) => {
    await lockOwner(tx, owner)
    if ((await countViews(tx, owner)) >= viewsAtMost) {
      throw new Invalid(`there are ${viewsAtMost} views already`, 'too_many_views')
    }
    const view = await insertView(tx, owner, settings, nowUnix(ctx.clock))
    await publishOfView(tx, 'view.created', ctx, home, view.id)
    return view
  })
}

/** Changes the given settings of a view. */
export function editView(
  ctx: SignedInCtx,
  home: ViewHome,
  { id }: SavedViewRow,
  input: SavedViewInput,
): Promise<SavedViewRow> {
  return transaction(ctx.db, async (tx) => {
    const before = await findViewForUpdate(tx, id)
    if (!before) throw noView()
    const edited = await updateView(tx, id, { ...settingsOf(input, before), updated_unix: nowUnix(ctx.clock) })
    if (!edited) throw noView()
    await publishOfView(tx, 'view.edited', ctx, home, id)
    return edited
  })
}

/** Deletes a view. Its issues stay as they are. */
export async function deleteView(ctx: SignedInCtx, home: ViewHome, { id }: SavedViewRow): Promise<void> {
  await transaction(ctx.db, async (tx) => {
    if (!(await deleteViewRow(tx, id))) throw noView()
    await publishOfView(tx, 'view.deleted', ctx, home, id)
  })
}
