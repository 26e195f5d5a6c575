import type { Ctx, RepoCtx, SubjectCtx } from '../access/context.ts'
import { listNewestPackages, type ListedPackage } from './package-list.store.ts'

export type { ListedPackage } from './package-list.store.ts'

type Page = { readonly limit: number; readonly offset: number }
type Found = { readonly packages: readonly ListedPackage[]; readonly hasMore: boolean }

/** Returns a page of the packages of an owner, those published last first, and whether more follow. */
export const newestPackages = (
  { db, subject }: SubjectCtx,
  filter: { readonly type?: string | undefined; readonly text?: string | undefined },
  page: Page,
): Promise<Found> => pageOfPackages(db, { ...filter, ownerId: subject.id }, page)

/** Returns a page of the packages that are linked to a repository. */
export const packagesOfRepo = ({ db, repo, owner }: RepoCtx, page: Page): Promise<Found> =>
  pageOfPackages(db, { ownerId: owner.id, repoId: repo.id }, page)

async function pageOfPackages(
  db: Ctx['db'],
  filter: Parameters<typeof listNewestPackages>[1],
  { limit, offset }: Page,
): Promise<Found> {
  const rows = await listNewestPackages(db, filter, { limit: limit + 1, offset })
  return { packages: rows.slice(0, limit), hasMore: rows.length > limit }
}
