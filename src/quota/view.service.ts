import type { Services } from '../access/context.ts'
import { contributionsOf } from '../access/feature.ts'
import type { QuotaUsage } from '../access/quota/quota.rules.ts'
import { listGroupsOfUser, type NamedQuotaGroup } from '../access/quota/quota.store.ts'
import type { StoredArtifact } from '../access/contributions/stored-artifacts.ts'
import { loadUsage } from '../access/quota/usage.store.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import type { Page } from '../lib/paging.ts'
import {
  countAttachmentsOf,
  countPackageFilesOf,
  listAttachmentsOf,
  listPackageFilesOf,
  type StoredPackageFile,
} from './stored.store.ts'

/** What an account stores and the groups that it was given; those that everybody has are not its own. */
export interface QuotaView {
  readonly usage: QuotaUsage
  readonly groups: readonly NamedQuotaGroup[]
}

interface PageOf<Row> {
  readonly rows: readonly Row[]
  readonly total: number
}

export async function viewQuota({ db }: Services, owner: UserRow): Promise<QuotaView> {
  const [usage, groups] = await Promise.all([loadUsage(db, owner.id), listGroupsOfUser(db, owner.id)])
  return { usage, groups }
}

/** Files of issues, comments and releases that the owner is charged for, the largest first; two queries. */
export async function pageOfAttachments({ db }: Services, owner: UserRow, page: Page): Promise<PageOf<AttachmentRow>> {
  const [rows, total] = await Promise.all([listAttachmentsOf(db, owner.id, page), countAttachmentsOf(db, owner.id)])
  return { rows, total }
}

/** Lists files of the owner's packages, the largest first, in two queries. */
export async function pageOfPackageFiles(
  { db }: Services,
  owner: UserRow,
  page: Page,
): Promise<PageOf<StoredPackageFile>> {
  const [rows, total] = await Promise.all([listPackageFilesOf(db, owner.id, page), countPackageFilesOf(db, owner.id)])
  return { rows, total }
}

/** Artifacts of the owner's workflows, the largest first, as the feature that keeps them tells. */
export const pageOfArtifacts = async (
  services: Services,
  owner: UserRow,
  page: Page,
): Promise<PageOf<StoredArtifact>> =>
  (await contributionsOf(services).storedArtifacts?.(services.db, owner.id, page)) ?? { rows: [], total: 0 }
