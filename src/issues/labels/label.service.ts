import type { Ctx, RepoCtx, SignedInRepoCtx } from '../../access/context.ts'
import { transaction } from '../../db/database.ts'
import type { IssueRow, LabelRow } from '../../db/tables/issues.ts'
import { BadRequest, Invalid, NotFound } from '../../lib/errors.ts'
import type { LabelId } from '../../lib/ids.ts'
import { type Page, rowsAndTotal } from '../../lib/paging.ts'
import { pluck } from '../../lib/pluck.ts'
import { nowUnix } from '../../lib/time.ts'
import { must } from '../../lib/verdict.ts'
import { addLabels, holdIssue, removeLabels, replaceLabels, scopeOf } from '../issue-change.service.ts'
import { mayManage } from '../issue.policy.ts'
import { attributionAt, attributionNow, changing } from '../issue.service.ts'
import { listLabelsOf } from '../issue.store.ts'
import { keptColor } from './label.rules.ts'
import {
  countLabels,
  deleteLabelRow,
  findLabel,
  findLabelByName,
  insertLabels,
  listLabels,
  listSetLabels,
  listUsableLabels,
  updateLabel,
  type LabelHome,
  type LabelSort,
} from './label.store.ts'

/** The fields of a request about a label, under the API's names. */
export interface LabelInput {
  readonly name?: string | undefined
  readonly color?: string | undefined
  readonly description?: string | undefined
  readonly isExclusive: boolean | undefined
  readonly isArchived: boolean | undefined
}

const noLabel = () => new NotFound('the label does not exist', 'label_not_found')

const sorts: readonly LabelSort[] = ['reversealphabetically', 'leastissues', 'mostissues']

/** Returns one page of the labels of a repository or organization, sorted by name for an unknown order. */
export async function getLabels(
  ctx: Ctx,
  home: LabelHome,
  sort: string | undefined,
  page: Page,
): Promise<{ readonly rows: LabelRow[]; readonly total: number }> {
  const order = sorts.find((each) => each === sort) ?? 'name'
  const [rows, total] = await rowsAndTotal(page, listLabels(ctx.db, home, order, page), countLabels(ctx.db, home))
  return { rows, total }
}

/** Returns a label by id, else by name. */
export async function getLabel(ctx: Ctx, home: LabelHome, idOrName: string): Promise<LabelRow> {
  const byId = /^\d{1,15}$/.test(idOrName) ? await findLabel(ctx.db, home, Number(idOrName) as LabelId) : undefined
  const label = byId ?? (await findLabelByName(ctx.db, home, idOrName))
  if (!label) throw noLabel()
  return label
}

export async function createLabel(
  ctx: Ctx,
  home: LabelHome,
  input: LabelInput & { readonly name: string; readonly color: string },
): Promise<LabelRow> {
  const unix = nowUnix(ctx.clock)
  const values = {
    repo_id: 'repoId' in home ? home.repoId : null,
    org_id: 'orgId' in home ? home.orgId : null,
    name: input.name,
    description: input.description ?? '',
    color: keptColor(input.color),
    is_exclusive: input.isExclusive ?? false,
    archived_unix: input.isArchived ? unix : 0,
    created_unix: unix,
    updated_unix: unix,
  }
  const [label] = await transaction(ctx.db, (tx) => insertLabels(tx, [values]))
  return label as LabelRow
}

/** Changes the given fields of a label. An edit without `is_archived` unarchives it (observed). */
export async function editLabel(ctx: Ctx, home: LabelHome, id: LabelId, input: LabelInput): Promise<LabelRow> {
  const label = await findLabel(ctx.db, home, id)
  if (!label) throw noLabel()
  const unix = nowUnix(ctx.clock)
  const edited = await transaction(ctx.db, (tx) =>
    updateLabel(tx, id, {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.color === undefined ? {} : { color: keptColor(input.color) }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.isExclusive === undefined ? {} : { is_exclusive: input.isExclusive }),
      archived_unix: input.isArchived ? label.archived_unix || unix : 0,
      updated_unix: unix,
    }),
  )
  if (!edited) throw noLabel()
  return edited
}

/** Deletes a label, also from its issues and from timelines. A missing label is no error. */
export async function deleteLabel(ctx: Ctx, home: LabelHome, id: LabelId): Promise<void> {
  await transaction(ctx.db, (tx) => deleteLabelRow(tx, home, id))
}

/** Returns the labels of an issue, by name. */
export const getIssueLabels = (ctx: RepoCtx, issue: IssueRow): Promise<LabelRow[]> => listLabelsOf(ctx.db, issue.id)

/** Most labels that one request may name. */
const maxNamed = 100

/**
 * Returns the labels that a request names by number or by name, without unknown and foreign ones. A name that the repository
 * and its organization share means both labels.
 * @throws BadRequest for a mixture of numbers and names, and for other values
 */
async function labelsNamed(ctx: RepoCtx, values: readonly unknown[]): Promise<LabelRow[]> {
  if (values.length === 0) return []
  if (values.length > maxNamed) throw new Invalid(`[labels]: more than ${maxNamed} are named`, 'too_many_labels')
  if (values.every((value) => typeof value === 'number')) {
    const ids = values.map((value) => Math.trunc(value) as LabelId).filter((id) => Number.isSafeInteger(id))
    return ids.length === 0 ? [] : listUsableLabels(ctx.db, ctx.repo, { ids })
  }
  if (values.every((value) => typeof value === 'string')) return listUsableLabels(ctx.db, ctx.repo, { names: values })
  throw new BadRequest('name labels either all by number or all by name', 'labels_mixed')
}

/** The fields of a request about the labels of an issue. */
export interface IssueLabelsInput {
  readonly labels?: readonly unknown[] | undefined
  readonly updatedAt: string | undefined
}

export async function addIssueLabels(ctx: SignedInRepoCtx, issue: IssueRow, input: IssueLabelsInput): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const labels = await labelsNamed(ctx, input.labels ?? [])
  const by = attributionAt(ctx, issue, input.updatedAt)
  await changing(() => transaction(ctx.db, async (tx) => addLabels(tx, by, await holdIssue(tx, issue), labels)))
}

/** Replaces the labels of an issue; without a list, removes all. */
export async function replaceIssueLabels(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  input: IssueLabelsInput,
): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const labels = await labelsNamed(ctx, input.labels ?? [])
  const by = attributionAt(ctx, issue, input.updatedAt)
  await changing(() => transaction(ctx.db, async (tx) => replaceLabels(tx, by, await holdIssue(tx, issue), labels)))
}

export async function clearIssueLabels(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  updatedAt: string | undefined,
): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const by = attributionAt(ctx, issue, updatedAt)
  await transaction(ctx.db, async (tx) => removeLabels(tx, by, await holdIssue(tx, issue), 'all'))
}

/** Removes one label from an issue. An unknown label is `Invalid`; one that the issue does not have is no error. */
export async function removeIssueLabel(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  labelId: LabelId,
  updatedAt: string | undefined,
): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const by = attributionAt(ctx, issue, updatedAt)
  const [label] = await listUsableLabels(ctx.db, ctx.repo, { ids: [labelId] })
  if (!label) throw new Invalid('the label does not exist', 'label_not_found')
  await transaction(ctx.db, async (tx) => removeLabels(tx, by, await holdIssue(tx, issue), [labelId]))
}

/**
 * Gives an issue the exclusive label of a scope with a name, instead of the others of the scope.
 * @param name undefined: none of the scope
 * @throws Invalid when the repository has no such label
 */
export async function setScopedLabel(
  ctx: SignedInRepoCtx,
  issue: IssueRow,
  scope: string,
  name: string | undefined,
): Promise<void> {
  must(mayManage(ctx.rights, issue))
  const named = name === undefined ? [] : await listUsableLabels(ctx.db, ctx.repo, { names: [name] })
  const label = named.find((each) => scopeOf(each) === scope)
  if (name !== undefined && !label) {
    throw new Invalid(`the repository has no exclusive label ${name}`, 'label_not_found')
  }
  const by = attributionNow(ctx)
  await changing(() =>
    transaction(ctx.db, async (tx) => {
      const held = await holdIssue(tx, issue)
      if (label) return addLabels(tx, by, held, [label])
      const ofScope = (await listSetLabels(tx, issue.id)).filter((each) => scopeOf(each) === scope)
      return removeLabels(tx, by, held, pluck(ofScope, 'id'))
    }),
  )
}
