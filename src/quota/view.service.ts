import type { Services } from '../access/context.ts'
import { contributionsOf } from '../access/feature.ts'
import type { QuotaUsage } from '../access/quota/quota.rules.ts'
import { listGroupsOfUser, type NamedQuotaGroup } from '../access/quota/quota.store.ts'
import type { StoredArtifact } from '../access/contributions/stored-artifacts.ts'
import { loadUsage } from '../access/quota/usage.store.ts'
import type { UserRow } from '../db/tables/accounts.ts'
import type { AttachmentRow } from '../db/tables/issues.ts'
import { type Page, rowsAndTotal } from '../lib/paging.ts'
import {
  countAttachmentsOf,
  countPackageFilesOf,
  listAttachmentsOf,
  listPackageFilesOf,
  type StoredPackageFile,
} from './stored.store.ts'

/** The usage and the groups of an account, without the default groups. */
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

/** Returns a page of the files of issues, comments and releases that are charged to the owner, largest first. */
export async function pageOfAttachments({ db }: Services, owner: UserRow, page: Page): Promise<PageOf<AttachmentRow>> {
  const [rows, total] = await rowsAndTotal(
    page,
    listAttachmentsOf(db, owner.id, page),
    countAttachmentsOf(db, owner.id),
  )
  return { rows, total }
}

/** Returns a page of the files in the owner's packages, largest first. */
export async function pageOfPackageFiles(
  { db }: Services,
  owner: UserRow,
  page: Page,
): Promise<PageOf<StoredPackageFile>> {
  const [rows, total] = await rowsAndTotal(
    page,
    listPackageFilesOf(db, owner.id, page),
    countPackageFilesOf(db, owner.id),
  )
  return { rows, total }
}

/** Returns a page of the artifacts of the owner's workflows, largest first. */
export const pageOfArtifacts = async (
  services: Services,
  owner: UserRow,
  page: Page,
): Promise<PageOf<StoredArtifact>> =>
  (await contributionsOf(services).storedArtifacts?.(services.db, owner.id, page)) ?? { rows: [], total: 0 }
