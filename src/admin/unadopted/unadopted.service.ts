import { findAccountByName, findRepoByName } from '../../access/access.store.ts'
import type { Ctx, Services } from '../../access/context.ts'
import { recordAct } from '../../audit/audit.ts'
import { transaction } from '../../db/database.ts'
import type { UserRow } from '../../db/tables/accounts.ts'
import { publish } from '../../events/hub.ts'
import type { UnadoptedFolder } from '../../git/git.ts'
import { newGitKey } from '../../git/git-key.ts'
import { NotFound } from '../../lib/errors.ts'
import { mustDecide } from '../../lib/expression.ts'
import { compileGlob } from '../../lib/glob.ts'
import type { Bound, Page } from '../../lib/paging.ts'
import { nowUnix } from '../../lib/time.ts'
import { insertTags } from '../../repos/lifecycle/fork.store.ts'
import { readNewRefs } from '../../refs/changes/new-refs.service.ts'
import { mayNameRepo } from '../../repos/repo-name.rules.ts'
import { chooseDefaultBranch, updatesOf } from '../../repos/lifecycle/migrate.service.ts'
import { insertNewRepo } from '../../repos/lifecycle/repo-creation.service.ts'
import { newUnits } from '../../repos/unit-config.ts'
import { loadKnownNames } from './unadopted.store.ts'

/** Largest number of folders to inspect; an instance with more adopts some first. */
const maxFolders = 10_000
/** Number of folders to look up per query. */
const batchSize = 500

const notThere = () => new NotFound('the repository to adopt does not exist', 'unadopted_not_found')

/**
 * Returns one page of the folders `owner/name` that can be adopted: the owner exists and has no repository of the name.
 * @param pattern a glob for the owner, and after a slash one for the name; empty for all
 */
export async function pageOfUnadopted(
  { git, db, budget }: Pick<Ctx, 'git' | 'db' | 'budget'>,
  pattern: string,
  page: Page,
): Promise<{ readonly names: readonly string[]; readonly total: number; readonly bound?: Bound }> {
  const [ofOwner = '', ofName = ''] = pattern.split('/', 2)
  const fitsOwner = compileGlob(ofOwner || '*', '/', budget)
  const fitsName = compileGlob(ofName || '*', '/', budget)
  const found: string[] = []
  let looked = 0
  let batch: UnadoptedFolder[] = []
  const look = async (): Promise<void> => {
    const known = await loadKnownNames(db, batch)
    for (const { owner, name } of batch) {
      if (known.owners.has(owner) && !known.repos.has(`${owner}/${name}`)) found.push(`${owner}/${name}`)
    }
    batch = []
  }
  for await (const folder of git.listUnadopted()) {
    const isWanted =
      mustDecide(budget, fitsOwner.match(folder.owner)) && mustDecide(budget, fitsName.match(folder.name))
    if (!isWanted) continue
    batch.push(folder)
    if (batch.length === batchSize) await look()
    looked += 1
    if (looked === maxFolders) break
  }
  await look()
  const names = found.toSorted()
  const shown = { names: names.slice(page.offset, page.offset + page.limit), total: names.length }
  return looked === maxFolders ? { ...shown, bound: 'rows' } : shown
}

/** Returns the owner of a folder; throws `NotFound` when a repository has the name. */
async function ownerOf({ db }: Services, { owner, name }: UnadoptedFolder): Promise<UserRow> {
  const account = await findAccountByName(db, owner)
  if (!account || !mayNameRepo(name).allowed || (await findRepoByName(db, account.id, name))) throw notThere()
  return account
}

const folderOf = (owner: string, name: string): UnadoptedFolder => ({
  owner: owner.toLowerCase(),
  name: name.toLowerCase(),
})

/**
 * Adopts a folder as a private repository. Its objects and references move, its settings and hooks do not. A folder
 * that cannot become a repository stays in place.
 */
export async function adoptRepo(services: Services, doer: UserRow, ownerName: string, repoName: string): Promise<void> {
  const folder = folderOf(ownerName, repoName)
  const owner = await ownerOf(services, folder)
  const { git, config } = services
  const key = newGitKey()
  const objectFormat = await git.adopt(folder, key)
  try {
    const refs = await readNewRefs(services, key)
    const head = (await git.readHead(key)).branch
    const named = [head, config.repository.defaultBranch].find((name) => refs.branches.some((one) => one.name === name))
    const defaultBranch = named ?? chooseDefaultBranch(refs, config.repository.defaultBranch)
    if (defaultBranch !== head) await git.setHead(key, defaultBranch)
    await insertNewRepo(services, {
      doer,
      owner,
      git: { key, defaultBranch, objectFormat },
      createdUnix: nowUnix(services.clock),
      row: { name: folder.name, description: '', is_private: true, fork_id: null, template_id: null },
      branches: refs.branches,
      refs: refs.all,
      units: newUnits(config.repository.defaultRepoUnits, config),
      async inTransaction(tx, repo) {
        const what = { repoId: repo.id, doerId: doer.id }
        await insertTags(tx, repo.id, refs.tags)
        await publish(tx, 'repo.created', what)
        await recordAct(tx, { action: 'repo.adopted', doerId: doer.id, about: { kind: 'repository', id: repo.id } })
        const updates = updatesOf(refs, repo)
        if (updates.length > 0) await publish(tx, 'refs.updated', { ...what, kind: 'code', updates, origin: 'mirror' })
      },
    })
  } catch (error) {
    await git.unadopt(key, folder).catch((cause: unknown) => {
      // The caller gets the first error; `ingot doctor` finds what remains.
      services.log('warn', 'git data that was not adopted could not be moved back', { error: cause, key })
    })
    throw error
  }
}

/** Deletes a folder that is not a repository. */
export async function deleteUnadopted(services: Services, ownerName: string, repoName: string): Promise<void> {
  const folder = folderOf(ownerName, repoName)
  await ownerOf(services, folder)
  if (!(await services.git.removeUnadopted(folder))) throw notThere()
  const about = { kind: 'instance', id: null, name: `${ownerName}/${repoName}` } as const
  await transaction(services.db, (tx) => recordAct(tx, { action: 'unadopted.deleted', about }))
}
